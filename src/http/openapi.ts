import type { DescMessage, FileRegistry } from '@bufbuild/protobuf'
import { faultKinds } from '../rpc/fault.ts'
import type { Tier } from '../rpc/method.ts'
import type { DeclaredOperation } from '../rpc/operation.ts'
import type { JsonSchema } from '../rpc/schema.ts'
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

const problem: JsonSchema = {
  description: 'RFC 9457',
  type: 'object',
  required: ['type', 'title', 'status', 'detail', 'reason', 'request_id'],
  properties: {
    type: { type: 'string' },
    title: { type: 'string' },
    status: { type: 'integer' },
    detail: { type: 'string' },
    reason: { type: 'string', description: 'Stable; what programs compare' },
    request_id: { type: 'string' },
    errors: {
      type: 'array',
      items: {
        type: 'object',
        required: ['field', 'message'],
        properties: { field: { type: 'string' }, message: { type: 'string' } },
      },
    },
  },
}

const retryHeaders = {
  'Retry-After': { description: 'Seconds', schema: { type: 'integer', minimum: 1 } },
}

/** The façade as OpenAPI 3.1, made from the declarations that run it. */
export function createOpenApi(operations: DeclaredOperation[], registry: FileRegistry): object {
  const responses = createResponseSchemas()
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
    paths[path] = { ...paths[path], [verb]: describe(operation, registry, responses.refer) }
  }
  return {
    openapi: '3.1.0',
    info: { title: 'daikon', version: '1', description: 'Identity, workspaces and permissions.' },
    servers: [{ url: '/' }],
    paths,
    components: {
      securitySchemes,
      schemas: { ...responses.schemas, Problem: problem },
      responses: problemResponses(),
    },
  }
}

function describe(
  operation: DeclaredOperation,
  registry: FileRegistry,
  refer: (message: DescMessage) => JsonSchema,
): object {
  const { name, policy, route, input, service, travel } = operation
  const limit = policy.limitPerMinute
  const { properties, required } = publishedSchema(registry, input)
  const beside = [...route.pathFields, ...travel.request.map(({ field }) => field)]
  const rest = Object.keys(properties).filter((field) => !beside.includes(field))
  const pick = (field: string) => ({ name: field, schema: properties[field] })
  const parameters = [
    ...route.pathFields.map((field) => ({ ...pick(field), in: 'path', required: true })),
    ...(route.body ? [] : rest).map((field) => ({
      ...pick(field),
      in: 'query',
      required: required.includes(field),
    })),
  ]
  const body = {
    type: 'object',
    properties: Object.fromEntries(rest.map((field) => [field, properties[field]])),
    required: required.filter((field) => rest.includes(field)),
  }
  return {
    operationId: name.replace('daikon.v1.', '').replace('/', '_'),
    tags: [service.replace('Service', '')],
    summary: operation.comment,
    description: limit ? `${limit} requests a minute.` : undefined,
    'x-rate-limit': limit && { limit, period: 60 },
    'x-least-role': policy.leastRole,
    security: security[policy.tier],
    parameters,
    requestBody:
      route.body && rest.length > 0
        ? {
            required: body.required.length > 0,
            content: { 'application/json': { schema: body } },
          }
        : undefined,
    responses: {
      [policy.status]: success(operation, refer),
      ...problemReferences(operation, parameters.length > 0 || rest.length > 0),
    },
  }
}

function success(
  { policy, output, travel }: DeclaredOperation,
  refer: (message: DescMessage) => JsonSchema,
): object {
  if (policy.status === 204) return { description: 'Done' }
  if (policy.status >= 300) {
    const location = { schema: { type: 'string', format: 'uri' } }
    return { description: 'Onwards', headers: { Location: location } }
  }
  const whole = output.fields.find(({ name }) => name === policy.responseField)
  const schema = whole?.message ? { type: 'array', items: refer(whole.message) } : refer(output)
  const headers = Object.fromEntries(
    travel.response.flatMap(({ header }) =>
      header ? [[header, { schema: { type: 'string' } }]] : [],
    ),
  )
  return { description: 'Done', headers, content: { 'application/json': { schema } } }
}

/** The ways a method can fail, by its declaration; any other is `default`. */
function problemReferences({ policy, route }: DeclaredOperation, hasInput: boolean): object {
  const kinds = [
    ...(policy.tier === 'public' ? [] : [faultKinds.unauthenticated, faultKinds.forbidden]),
    ...(route.pathFields.length > 0 ? [faultKinds.missing] : []),
    ...(hasInput ? [faultKinds.invalid] : []),
    faultKinds.limited,
  ]
  const references = kinds.map(({ http }) => [http, { $ref: `#/components/responses/${http}` }])
  return {
    ...Object.fromEntries(references),
    default: { $ref: '#/components/responses/default' },
  }
}

function problemResponses(): object {
  const content = {
    'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } },
  }
  const { unauthenticated, forbidden, missing, invalid, limited } = faultKinds
  const entries = [unauthenticated, forbidden, missing, invalid, limited].map(({ http, title }) => [
    http,
    { description: title, content, ...(http === 429 && { headers: retryHeaders }) },
  ])
  return { ...Object.fromEntries(entries), default: { description: 'A problem', content } }
}
