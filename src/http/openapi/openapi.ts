import type { FileRegistry } from '@bufbuild/protobuf'
import type { RestFormat } from '../../core/rest-format.ts'
import type { BoundField } from '../../rpc/bound-fields.ts'
import { readExclusiveSets } from '../../rpc/field-sets.ts'
import type { Policy, Route } from '../../rpc/method.ts'
import type { DeclaredOperation, WatchOperation } from '../../rpc/operation.ts'
import { isStruct, type JsonSchema } from '../../rpc/schema.ts'
import { repeatsCrossSitePosts } from '../cross-site-posts.ts'
import { createExampleMaker, type ExampleMaker } from './examples.ts'
import { createDescribeFormat, type DescribeFormat } from './formats.ts'
import { describeLinks } from './links.ts'
import {
  type ExampleReasons,
  fieldProblemSchema,
  oauthErrorResponses,
  oauthErrorSchema,
  problemReferences,
  problemResponses,
  problemSchema,
  rateLimitHeaderReferences,
  rateLimitHeaders,
} from './problems.ts'
import { methodComment, protoComment } from './proto-comment.ts'
import { describeBody, publishedSchema } from './request-schema.ts'
import { createSchemas, type DefineSchema, type ReferToMessage } from './schemas.ts'

/** The security requirements of each tier, except for those of methods in the format of a feature. */
const security = {
  public: [],
  user: [{ accessToken: [] }],
  service: [{ serviceKey: [] }],
  dual: [{ accessToken: [], serviceKey: [] }],
  admin: [{ adminCookie: [] }],
}

const securitySchemes = {
  accessToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'An access token from `POST /auth/token`.',
  },
  serviceKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Service-Key',
    description: 'The key of a service app.',
  },
  clientSecret: {
    type: 'http',
    scheme: 'basic',
    description: 'The ID and the secret of a confidential client app.',
  },
  bearerServiceKey: {
    type: 'http',
    scheme: 'bearer',
    description: 'The key of a service app, for the routes of the Access API only.',
  },
  adminCookie: {
    type: 'apiKey',
    in: 'cookie',
    name: 'admin_token',
    description: 'Set by the sign-in of an administrator.',
  },
  managementToken: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description: 'A token of a management app from `POST /oauth/token`.',
  },
}

type Builder = {
  registry: FileRegistry
  define: DefineSchema
  makeExample: ExampleMaker
  describeFormat: DescribeFormat
  operations: DeclaredOperation[]
  /** The successful response of each operation. */
  successes: Map<DeclaredOperation, object>
}

/**
 * Creates the OpenAPI 3.1 document of the REST API from the declarations that define its routes.
 *
 * @param globalLimit requests per minute and client over all routes; undefined if limits are off
 */
export function createOpenApi(
  operations: DeclaredOperation[],
  registry: FileRegistry,
  globalLimit: number | undefined,
  reasons: ExampleReasons,
  formats: RestFormat[],
): object {
  const describeFormat = createDescribeFormat(formats)
  const { schemas, refer, define } = createSchemas(registry)
  const makeExample = createExampleMaker(schemas)
  // Before the requests, because a message of both is named after its schema of responses.
  const successes = new Map(
    operations.map((operation) => [
      operation,
      describeSuccess(operation, refer, makeExample, describeFormat),
    ]),
  )
  const builder = { registry, define, makeExample, describeFormat, operations, successes }
  const limitNote = globalLimit
    ? `Each client may send ${globalLimit} requests per minute to all routes except \`/health\` and \`/.well-known/\`.`
    : 'Rate limits are off.'
  const paths: Record<string, Record<string, object>> = { '/health': { get: healthOperation } }
  for (const operation of operations) {
    for (const route of operation.routes) {
      const described = describeOperation(operation, route, builder)
      paths[route.path] = { ...paths[route.path], [route.verb]: described }
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'daikon',
      version: '1',
      contact: { name: 'daikon', url: 'https://github.com/daikon-auth/daikon' },
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
      description: `Identity, workspaces and permissions.\n\n${limitNote}`,
    },
    'x-rate-limit': globalLimit && { limit: globalLimit, period: 60 },
    servers: [{ url: '/' }],
    tags: describeTags(operations),
    paths,
    components: {
      securitySchemes: { ...securitySchemes, ...describeFormat.securitySchemes },
      schemas: {
        ...schemas,
        Problem: problemSchema,
        FieldProblem: fieldProblemSchema,
        OAuthError: oauthErrorSchema,
        ...describeFormat.errorSchemas,
      },
      responses: problemResponses(reasons),
      headers: rateLimitHeaders,
    },
  }
}

const healthOperation = {
  operationId: 'health',
  tags: ['Health'],
  summary: 'Check liveness',
  description: 'Responds while the server accepts requests. Exempt from rate limits.',
  security: [],
  responses: {
    200: { description: 'The server accepts requests' },
    431: { description: 'The headers are too large' },
    default: { $ref: '#/components/responses/default' },
  },
}

function tagOf({ service }: DeclaredOperation): string {
  return service.replace(/Service$/, '')
}

function describeTags(operations: DeclaredOperation[]): object[] {
  const tags = new Map<string, object>()
  for (const operation of operations) {
    const name = tagOf(operation)
    const description = protoComment(operation.descriptor.parent)
    if (!tags.has(name)) tags.set(name, { name, description })
  }
  return [...tags.values(), { name: 'Health', description: 'The state of the server.' }]
}

function describeOperation(operation: DeclaredOperation, route: Route, builder: Builder): object {
  const { policy, input, bindings } = operation
  const { registry, define, makeExample, describeFormat } = builder
  const place = policy.profile === 'default' ? 'body' : 'open body'
  const { properties, required, ...others } = publishedSchema(registry, input, place, define)
  const parameterSchemas = publishedSchema(registry, input, 'parameters').properties
  const boundNames = bindings.request.map(({ field }) => field)
  const contentFields = Object.keys(properties).filter(
    (field) => ![...route.pathFields, ...route.excludedFields, ...boundNames].includes(field),
  )
  const isJson = (name: string) =>
    input.fields.some((field) => field.name === name && isStruct(field))
  // The first of several parameters, one of which is required.
  const isFirst = (name: string) =>
    readExclusiveSets(registry, input).some(([first]) => first === name)
  const describeParameter = (
    field: string,
    location: 'path' | 'query' | 'header',
    name: string = field,
  ) => {
    const { description, ...schema } = parameterSchemas[field] as JsonSchema
    const isRequired = location === 'path' || required.includes(field)
    return {
      name,
      in: location,
      required: isRequired,
      ...(description !== undefined && { description }),
      ...(isJson(field) ? { content: { 'application/json': { schema } } } : { schema }),
      // Swagger UI sends every example, so optional parameters have none.
      ...((isRequired || isFirst(field)) && { example: makeExample(schema, field, input.name) }),
    }
  }
  const queryFields = route.body ? bindings.query.map(({ name }) => name) : contentFields
  const parameters = [
    ...route.pathFields.map((field) => describeParameter(field, 'path')),
    ...queryFields.map((field) => describeParameter(field, 'query')),
    ...bindings.request.flatMap(({ field, header }) =>
      header?.startsWith('x-') || header === 'if-match' || header === 'last-event-id'
        ? [describeParameter(field, 'header', header)]
        : [],
    ),
  ]
  const body = {
    ...others,
    properties: Object.fromEntries(contentFields.map((field) => [field, properties[field]])),
    required: required.filter((field) => contentFields.includes(field)),
  }
  const hasBody = route.body && contentFields.length > 0
  return {
    operationId: operationId(operation, route),
    tags: [tagOf(operation)],
    summary: methodComment(operation.descriptor).summary,
    description: describePolicy(operation),
    'x-rate-limit': policy.limitPerMinute && { limit: policy.limitPerMinute, period: 60 },
    'x-least-role': policy.leastRole,
    'x-scope': policy.scope === 'none' ? undefined : policy.scope,
    security: describeFormat.security(policy) ?? describeSecurity(policy),
    parameters,
    requestBody: route.bodyField
      ? describeFormat.body(operation)
      : hasBody
        ? describeBody(operation, body, builder)
        : undefined,
    responses: {
      [policy.status]: {
        ...builder.successes.get(operation),
        links: describeLinks(operation, route, builder.operations, operationId),
      },
      ...(policy.pageField && { 200: pageResponse }),
      ...(repeatsCrossSitePosts(operation, route) && { 303: repetitionResponse }),
      ...(policy.profile === 'oauth'
        ? oauthErrorResponses(operation)
        : (describeFormat.errors(operation) ??
          problemReferences(operation, parameters.length > 0 || contentFields.length > 0))),
    },
  }
}

/**
 * Returns the name of the method. For an additional route, appends the first variable of its path
 * or, without one, its verb and last segment.
 */
function operationId({ name, route: first }: DeclaredOperation, route: Route): string {
  const id = name.replace('daikon.v1.', '').replace('/', '_')
  if (route === first) return id
  if (route.pathFields[0]) return `${id}_by_${route.pathFields[0]}`
  const [lastSegment = ''] = route.path.split('/').slice(-1)
  return `${id}_${route.verb}_${lastSegment.replaceAll(/\W/g, '_')}`
}

/** Returns the security requirements of a method, which are alternatives. */
function describeSecurity(policy: Policy): object[] {
  const { scope, optionalUser, optionalAdmin, optionalClient, profile } = policy
  const tier = policy.tier as keyof typeof security
  if (profile === 'authzen' && tier === 'service')
    return [...security.service, { bearerServiceKey: [] }]
  if (optionalClient) return [...security[tier], { clientSecret: [] }]
  const management = scope && scope !== 'none' ? [{ managementToken: [] }] : []
  if (tier === 'admin') return [...security.admin, ...management]
  if (optionalAdmin) return [...security[tier], ...security.admin, ...management]
  return optionalUser ? [...security[tier], ...security.dual] : security[tier]
}

/** Returns the description in the proto, with the role and the rate limit of the policy. */
function describePolicy({ descriptor, policy }: DeclaredOperation): string {
  const { leastRole, limitPerMinute, optionalUser, scope } = policy
  const requiresRole = optionalUser ? 'A user of an access token requires' : 'Requires'
  const role = leastRole && `${requiresRole} role \`${leastRole}\` or higher.`
  const limit = limitPerMinute && `Limited to ${limitPerMinute} requests per minute and client.`
  const management =
    scope && scope !== 'none' && `A management app requires the scope \`${scope}\`.`
  const paragraphs = [methodComment(descriptor).description, role, management, limit]
  return paragraphs.filter((paragraph) => paragraph).join('\n\n')
}

function describeSuccess(
  operation: DeclaredOperation | WatchOperation,
  refer: ReferToMessage,
  makeExample: ExampleMaker,
  describeFormat: DescribeFormat,
): object {
  const { policy, output, bindings } = operation
  const headers = { ...rateLimitHeaderReferences, ...describeBoundHeaders(bindings.response) }
  if (policy.status === 204) return { description: 'Success, no content', headers }
  if (policy.status >= 300) return { description: 'Redirect', headers }
  const responseField = output.fields.find(({ name }) => name === policy.responseField)
  const isObject = responseField !== undefined && isStruct(responseField)
  const described = isObject && describeFormat.success(operation, headers)
  if (described) return described
  const schema = isObject
    ? { type: 'object', additionalProperties: true }
    : responseField?.message
      ? { type: 'array', items: refer(responseField.message) }
      : refer(output, policy.profile)
  const type = 'kind' in operation ? 'text/event-stream' : 'application/json'
  const example = isObject
    ? makeExample(schema, responseField.name, output.name)
    : makeExample(schema)
  const content = { [type]: { schema, example } }
  return { description: 'Success', headers, content }
}

/** The response of a method that shows a page instead of a redirect. */
const pageResponse = {
  description: 'A page for the user',
  headers: rateLimitHeaderReferences,
  content: { 'text/html': { schema: { type: 'string' } } },
}

const repetitionResponse = {
  description: 'The form came from another site: a redirect that repeats it as a GET request',
  headers: { ...rateLimitHeaderReferences, Location: { schema: { type: 'string' } } },
}

function describeBoundHeaders(fields: BoundField[]): object {
  const names = fields.map(({ header = 'set-cookie' }) =>
    header.replace(/\b[a-z]/g, (letter) => letter.toUpperCase()),
  )
  return Object.fromEntries(names.map((name) => [name, { schema: { type: 'string' } }]))
}
