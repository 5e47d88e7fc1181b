import type { DescMessage, FileRegistry } from '@bufbuild/protobuf'
import type { BoundField } from '../../rpc/bound-fields.ts'
import type { Tier } from '../../rpc/method.ts'
import type { DeclaredOperation } from '../../rpc/operation.ts'
import type { JsonSchema } from '../../rpc/schema.ts'
import { createExampleMaker, type ExampleMaker } from './examples.ts'
import {
  limitHeaderSchemas,
  limitHeaders,
  problemReferences,
  problemResponses,
  problemSchema,
} from './problems.ts'
import { protoComment } from './proto-comment.ts'
import { describeBody } from './request-bodies.ts'
import { publishedSchema } from './request-schema.ts'
import { createResponseSchemas } from './response-schema.ts'

/** The ways a method of each tier is authorized. */
const security: Record<Tier, object[]> = {
  public: [],
  user: [{ accessToken: [] }],
  service: [{ serviceKey: [] }],
  dual: [{ accessToken: [], serviceKey: [] }],
  admin: [{ adminCookie: [] }],
}

const securitySchemes = {
  accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
  serviceKey: { type: 'apiKey', in: 'header', name: 'X-Service-Key' },
  adminCookie: { type: 'apiKey', in: 'cookie', name: 'admin_token' },
}

type Parts = {
  registry: FileRegistry
  refer: (message: DescMessage) => JsonSchema
  makeExample: ExampleMaker
}

/**
 * The façade as OpenAPI 3.1, made from the declarations that run it. `globalLimit`: requests a
 * minute of one client over all routes; undefined where nothing is limited.
 */
export function createOpenApi(
  operations: DeclaredOperation[],
  registry: FileRegistry,
  globalLimit: number | undefined,
): object {
  const responses = createResponseSchemas(registry)
  const makeExample = createExampleMaker(responses.schemas)
  const parts = { registry, refer: responses.refer, makeExample }
  const limits = globalLimit
    ? `One client has ${globalLimit} requests a minute over all routes but /health.`
    : 'Nothing is limited here.'
  const paths: Record<string, Record<string, object>> = {
    '/health': {
      get: {
        operationId: 'health',
        summary: 'Says that the door is open; counts for no limit.',
        security: [],
        responses: { 200: { description: 'It is' } },
      },
    },
  }
  for (const operation of operations) {
    const { path, verb } = operation.route
    paths[path] = { ...paths[path], [verb]: describe(operation, parts) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'daikon',
      version: '1',
      description: `Identity, workspaces and permissions. ${limits}`,
    },
    'x-rate-limit': globalLimit && { limit: globalLimit, period: 60 },
    servers: [{ url: '/' }],
    paths,
    components: {
      securitySchemes,
      schemas: { ...responses.schemas, Problem: problemSchema },
      responses: problemResponses(),
      headers: limitHeaderSchemas,
    },
  }
}

function describe(operation: DeclaredOperation, parts: Parts): object {
  const { name, policy, route, input, service, bindings } = operation
  const { makeExample } = parts
  const limit = policy.limitPerMinute
  const { properties, required } = publishedSchema(parts.registry, input)
  const beside = [...route.pathFields, ...bindings.request.map(({ field }) => field)]
  const rest = Object.keys(properties).filter((field) => !beside.includes(field))
  const parameter = (field: string, place: 'path' | 'query') => {
    const schema = properties[field] as JsonSchema
    const needed = place === 'path' || required.includes(field)
    // What Swagger UI finds here it sends, so that only what is needed is given.
    const example = needed && { example: makeExample(schema, field, input.name) }
    return { name: field, in: place, required: needed, schema, ...example }
  }
  const parameters = [
    ...route.pathFields.map((field) => parameter(field, 'path')),
    ...(route.body ? [] : rest).map((field) => parameter(field, 'query')),
  ]
  const body = {
    type: 'object',
    properties: Object.fromEntries(rest.map((field) => [field, properties[field]])),
    required: required.filter((field) => rest.includes(field)),
  }
  return {
    operationId: name.replace('daikon.v1.', '').replace('/', '_'),
    tags: [service.replace('Service', '')],
    summary: protoComment(operation.descriptor),
    description: limit ? `${limit} requests a minute.` : undefined,
    'x-rate-limit': limit && { limit, period: 60 },
    'x-least-role': policy.leastRole,
    security: security[policy.tier],
    parameters,
    requestBody:
      route.body && rest.length > 0 ? describeBody(operation, body, makeExample) : undefined,
    responses: {
      [policy.status]: success(operation, parts),
      ...problemReferences(operation, parameters.length > 0 || rest.length > 0),
    },
  }
}

function success(
  { policy, output, bindings }: DeclaredOperation,
  { refer, makeExample }: Parts,
): object {
  const headers = { ...limitHeaders, ...travelHeaders(bindings.response) }
  if (policy.status === 204) return { description: 'Done', headers }
  if (policy.status >= 300) return { description: 'Onwards', headers }
  const whole = output.fields.find(({ name }) => name === policy.responseField)
  const schema = whole?.message ? { type: 'array', items: refer(whole.message) } : refer(output)
  const example = makeExample(schema)
  return { description: 'Done', headers, content: { 'application/json': { schema, example } } }
}

function travelHeaders(travellers: BoundField[]): object {
  const names = travellers.map(({ header = 'set-cookie' }) =>
    header.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()),
  )
  return Object.fromEntries(names.map((name) => [name, { schema: { type: 'string' } }]))
}
