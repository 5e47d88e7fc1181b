import test from 'ava'
import { demo } from '../../src/dev/demo-data.ts'
import { readNulls } from '../../src/http/message.ts'
import { toResourceId } from '../../src/permissions/resource-id.ts'
import { createSchemaValidator, findBodySchema } from '../support/openapi-conformance.ts'
import { sendRawHttp } from '../support/raw-requests.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment({ RATE_LIMIT_PER_MINUTE: 1000 })
const document = (await sendRawHttp(environment.httpPort, { path: '/openapi.json' })).json
const fits = createSchemaValidator(document)
test.after.always(() => environment.stop())
const operations = environment.app.operations.flatMap((operation) =>
  operation.routes.map((route) => ({ ...operation, route })),
)

type Content = Record<string, { schema: object; example?: unknown }>

const alternatives = [
  'daikon.v1.AdminService/ExplainPermission user_id',
  'daikon.v1.GrantService/DeleteGrants client_id',
]

test('every example of a request, parameter and response is valid against its schema', (t) => {
  const checkExample = (content: Content = {}, what: string) => {
    for (const [type, { schema, example }] of Object.entries(content)) {
      if (type === 'multipart/form-data') continue
      t.not(example, undefined, `${what} ${type}`)
      t.is(fits(schema, example), undefined, `${what} ${type}`)
    }
  }
  for (const { name, route, policy } of operations) {
    const { parameters, requestBody, responses } = document.paths[route.path][route.verb]
    for (const one of parameters) {
      // One of several alternatives is an example, too.
      const isShown = one.required || alternatives.includes(`${name} ${one.name}`)
      t.is(one.example !== undefined, isShown, `${name} ${one.name}`)
      if (isShown) t.is(fits(one.schema, one.example), undefined, `${name} ${one.name}`)
    }
    checkExample(requestBody?.content, `${name} request`)
    checkExample(responses[policy.status].content, `${name} response`)
  }
  const { default: _, ...violations } = document.components.responses
  for (const [status, { content }] of Object.entries<{ content: Content }>(violations)) {
    checkExample(content, status)
    t.like(content['application/problem+json']?.example, { status: Number(status) })
  }
})

test('the validator rejects invalid examples', (t) => {
  const { schema, example } =
    document.paths['/permissions/check'].post.requestBody.content['application/json']
  t.is(fits(schema, example), undefined)
  t.regex(String(fits(schema, { checks: [] })), /fewer than 1/)
  t.regex(String(fits(schema, { checks: [{ ...example.checks[0], resource_id: 'x' }] })), /format/)
  t.regex(String(fits({ $ref: '#/components/schemas/ShareResponse' }, {})), /required/)
})

const form = 'application/x-www-form-urlencoded'

test('bodies are components named after their messages', (t) => {
  const refOf = (path: string, verb: string) =>
    document.paths[path][verb].requestBody.content['application/json'].schema.$ref
  const prefix = '#/components/schemas'
  t.is(refOf('/permissions/register', 'post'), `${prefix}/RegisterResourceRequest`)
  // The path names the workspace in one of the two routes.
  t.is(
    refOf('/workspaces/{workspace_id}/groups/{group_id}', 'patch'),
    `${prefix}/GroupUpdateRequest`,
  )
  t.is(refOf('/admin/groups/{group_id}', 'patch'), `${prefix}/AdminGroupUpdateRequest`)
})

test('objects in schemas are components, and code generators find no alternatives to name', (t) => {
  const visit = (node: unknown, path: string): void => {
    if (typeof node !== 'object' || node === null) return
    const { type, properties, anyOf, oneOf } = node as Record<string, unknown[] | undefined>
    const isComponent = /^[^/]+$/.test(path)
    if ([type].flat().includes('object') && properties)
      t.true(isComponent, `${path} is an inline object`)
    t.is(oneOf, undefined, path)
    if (anyOf) t.deepEqual(anyOf.slice(1), [{ type: 'null' }], path)
    for (const [name, child] of Object.entries(node)) {
      // Code generators do not read conditions.
      if (!['if', 'then', 'else', 'not', 'example'].includes(name)) visit(child, `${path}/${name}`)
    }
  }
  const { schemas, responses } = document.components
  for (const [name, schema] of Object.entries(schemas)) visit(schema, name)
  visit(responses, 'components/responses')
  visit(document.paths, 'paths')
})

test('the server accepts the example requests', (t) => {
  for (const operation of operations) {
    const { name, route, validate, bindings } = operation
    const { parameters, requestBody } = document.paths[route.path][route.verb]
    const fieldOf = (name: string) =>
      bindings.request.find(({ header }) => header === name)?.field ?? name
    const sentParameters = parameters.filter((one: { example?: unknown }) => 'example' in one)
    const pairs = sentParameters.map((one: { name: string; example: unknown }) => [
      fieldOf(one.name),
      one.example,
    ])
    const { content } = requestBody ?? {}
    const body = (content?.['application/json'] ?? content?.[form])?.example
    t.notThrows(
      () => validate(readNulls({ ...Object.fromEntries(pairs), ...body }, operation)),
      name,
    )
  }
})

test('the examples use the IDs of the demo workspace', (t) => {
  const { service_name, resource_type } = demo
  const { checks } =
    document.paths['/permissions/check'].post.requestBody.content['application/json'].example
  const resource_id = toResourceId(service_name, resource_type, 'handbook')
  t.like(checks[0], { service_name, resource_type, resource_id })
  const share = '/permissions/resource/{service_name}/{resource_type}/{resource_id}/share'
  const { parameters } = document.paths[share].post
  const path = parameters.filter((one: { in: string }) => one.in === 'path')
  t.deepEqual(
    path.map(({ example }: { example: unknown }) => example),
    [service_name, resource_type, 'handbook'],
  )
  const [{ example }] = document.paths['/workspaces/{workspace_id}'].get.parameters
  t.is(example, demo.workspace)
})

test('an upload is documented as a form, a file and JSON', (t) => {
  const uploads = operations.filter(({ policy }) => policy.upload)
  t.deepEqual(
    uploads.map(({ route }) => route.path),
    ['/admin/import/csv/preview', '/admin/import/csv/execute'],
  )
  for (const { route } of uploads) {
    const { content } = document.paths[route.path][route.verb].requestBody
    t.deepEqual(Object.keys(content), ['multipart/form-data', 'application/json', 'text/csv'])
    const form = content['multipart/form-data']
    const { [form.schema.$ref.split('/').at(-1)]: schema } = document.components.schemas
    t.like(schema.properties.file, { type: 'string', format: 'binary' })
    t.deepEqual(schema.required, ['file'])
    t.is(form.encoding.file.contentType, 'text/csv')
    t.is(content['text/csv'].example, content['application/json'].example.csv)
  }
})

test('an operation documents the errors that it can return, and no others', (t) => {
  const statuses = (path: string, verb: string) =>
    Object.keys(document.paths[path][verb].responses).join(' ')
  t.is(statuses('/.well-known/jwks.json', 'get'), '200 400 422 429 default')
  t.is(statuses('/users/me', 'get'), '200 400 401 403 422 429 503 default')
  t.is(statuses('/users/me', 'patch'), '200 400 401 403 413 415 422 429 503 default')
  t.is(statuses('/permissions/check', 'post'), '200 400 401 403 413 415 422 429 503 default')
  t.is(
    statuses('/permissions/register', 'post'),
    '201 400 401 403 404 409 413 415 422 429 503 default',
  )
  // Before a sign-in through a connection, a page asks.
  t.is(statuses('/auth/login/{provider}', 'get'), '200 302 400 404 422 429 503 default')
  t.is(statuses('/auth/token', 'post'), '200 400 401 403 413 415 422 429 503 default')
  t.is(statuses('/admin/roles/{role_id}', 'delete'), '204 400 401 403 404 412 422 429 503 default')
})

test('the global limit and the limits of operations are documented', (t) => {
  t.deepEqual(document['x-rate-limit'], { limit: 1000, period: 60 })
  t.regex(document.info.description, /1000 requests per minute/)
  const { responses, 'x-rate-limit': own } = document.paths['/auth/token'].post
  t.deepEqual(own, { limit: 10, period: 60 })
  t.true('RateLimit' in responses[200].headers)
  const { headers } = document.components.responses[429]
  t.deepEqual(Object.keys(headers), ['Retry-After', 'RateLimit', 'RateLimit-Policy'])
})

test('patterns compile in every language: no flags, \\p or lookaround', (t) => {
  const patterns = new Set<string>()
  JSON.stringify(document, (key, value) => {
    if (key === 'pattern' && typeof value === 'string') patterns.add(value)
    return value
  })
  t.true(patterns.size > 4)
  for (const pattern of patterns) {
    t.notThrows(() => new RegExp(pattern), pattern)
    t.notRegex(pattern, /\\p|\\u|\(\?/, pattern)
  }
})

test('the published rules for names reject the same values as the server', (t) => {
  const { schema } = document.paths['/users/me'].patch.requestBody.content['application/json']
  for (const name of ['a\u0000b', 'a\nb', '\u0085', 'a\u202eb', ' ', ''])
    t.regex(String(fits(schema, { name })), /name must/, JSON.stringify(name))
  for (const name of ['a', ' b ', 'Zoë 🦊']) t.is(fits(schema, { name }), undefined, name)
  t.regex(String(fits(schema, { avatar_url: 'https://a\u0007' })), /pattern/)
  t.is(fits(schema, { avatar_url: 'https://example.com/a.png' }), undefined)
})

test('a list with a minimum is required and has no default', (t) => {
  const schema = findBodySchema(document, '/permissions/check', 'post')
  t.true(schema.required.includes('checks'))
  t.false('default' in schema.properties.checks)
  t.regex(String(fits(schema, {})), /checks/)
})

test('numbers are bounded by the range of int32', (t) => {
  const { parameters } = document.paths['/admin/users'].get
  const { schema } = parameters.find(({ name }: { name: string }) => name === 'page')
  t.like(schema, { minimum: 1, maximum: 2_147_483_647 })
  t.is(document.info.license.identifier, 'Apache-2.0')
  t.like(document.components.schemas.ActivityEntry.properties.detail, { type: 'object' })
})

test('every operation describes an error response', (t) => {
  for (const [path, methods] of Object.entries<Record<string, any>>(document.paths)) {
    for (const [verb, { responses }] of Object.entries(methods)) {
      const statuses = Object.keys(responses)
      t.true(
        statuses.some((status) => status === 'default' || Number(status) >= 400),
        `${verb} ${path}`,
      )
    }
  }
})

test('responses of methods that create an object link to the methods that take its ID', (t) => {
  const { links } = document.paths['/workspaces/{workspace_id}/groups'].post.responses[201]
  t.deepEqual(links.GroupService_UpdateGroup, {
    operationId: 'GroupService_UpdateGroup',
    parameters: {
      workspace_id: '$request.path.workspace_id',
      group_id: '$response.body#/id',
    },
  })
  const ids = new Set(
    operations.map(({ route }) => document.paths[route.path][route.verb].operationId),
  )
  for (const { route, policy } of operations) {
    const { responses } = document.paths[route.path][route.verb]
    for (const { operationId } of Object.values<any>(responses[policy.status].links ?? {}))
      t.true(ids.has(operationId), operationId)
  }
})

test('the forms of the OAuth endpoints list what they require', (t) => {
  const form = 'application/x-www-form-urlencoded'
  const required = (path: string) => {
    const { schema } = document.paths[path].post.requestBody.content[form]
    return document.components.schemas[schema.$ref.split('/').at(-1)].required
  }
  t.deepEqual(required('/oauth/authorize'), ['client_id', 'redirect_uri', 'response_type'])
  t.deepEqual(required('/oauth/token'), ['grant_type'])
  t.deepEqual(required('/oauth/revoke'), ['token'])
  t.deepEqual(required('/oauth/introspect'), ['token'])
})
