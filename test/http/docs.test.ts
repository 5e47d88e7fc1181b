import { Validator } from '@seriousme/openapi-schema-validator'
import test from 'ava'
import { findBodySchema } from '../support/openapi-conformance.ts'
import { sendRawHttp } from '../support/raw-requests.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
const document = (await sendRawHttp(environment.httpPort, { path: '/openapi.json' })).json
test.after.always(() => environment.stop())
const pages = [
  '/',
  '/index.css',
  '/openapi.json',
  '/docs',
  '/redoc',
  '/docs/ui.js',
  '/docs/ui.css',
  '/docs/narrow.css',
  '/redoc/ui.js',
]

const endpoints = environment.app.operations.flatMap((operation) =>
  operation.routes.map((route) => ({ ...operation, route })),
)

test('/openapi.json is valid OpenAPI 3.1', async (t) => {
  const { valid, errors } = await new Validator().validate(structuredClone(document))
  t.true(valid, JSON.stringify(errors))
  t.regex(document.openapi, /^3\.1\./)
})

test('every operation is documented with its policy', (t) => {
  const schemes = {
    public: [],
    user: [{ accessToken: [] }],
    service: [{ serviceKey: [] }],
    dual: [{ accessToken: [], serviceKey: [] }],
    admin: [{ adminCookie: [] }],
    scim: [{ scimToken: [] }],
  }
  for (const { name, route, policy } of endpoints) {
    const described = document.paths[route.path]?.[route.verb]
    const schemesOfUser = policy.optionalUser ? schemes.dual : []
    const bearerKey =
      policy.profile === 'authzen' && policy.tier === 'service' ? [{ bearerServiceKey: [] }] : []
    const clientSecret = policy.optionalClient ? [{ clientSecret: [] }] : []
    const isForApps = policy.scope !== undefined && policy.scope !== 'none'
    const expected = [
      ...schemes[policy.tier],
      ...schemesOfUser,
      ...(policy.optionalAdmin ? schemes.admin : []),
      ...bearerKey,
      ...clientSecret,
      ...(isForApps ? [{ managementToken: [] }] : []),
    ]
    t.deepEqual(described?.security, expected, name)
    t.true(String(policy.status) in described.responses, name)
    t.is(described['x-rate-limit']?.limit, policy.limitPerMinute, name)
    t.is(described['x-scope'], isForApps ? policy.scope : undefined, name)
    t.regex(described.summary, /^\S+( \S+){1,4}$/, name)
    t.regex(described.description, /\.$/, name)
    const inPath = described.parameters.filter((one: { in: string }) => one.in === 'path')
    t.deepEqual(
      inPath.map((one: { name: string }) => one.name),
      route.pathFields,
      name,
    )
  }
})

test('an operation has a distinct ID and only the path fields of its own route', (t) => {
  const ids = endpoints.map(({ route }) => document.paths[route.path][route.verb].operationId)
  t.is(new Set(ids).size, ids.length)
  const path = '/permissions/resource/{service_name}/{resource_type}/{resource_id}/share'
  const share = document.paths[path].post
  t.is(share.operationId, 'PermissionService_Share_by_service_name')
  t.deepEqual(Object.keys(findBodySchema(document, path, 'post').properties), [
    'grantee_type',
    'grantee_id',
    'grantee_email',
    'grantee_external_id',
    'group_name',
    'permission',
    'role',
    'expires_at',
    'condition',
    'context',
  ])
})

test('the document describes field rules, comments, bare arrays and errors', (t) => {
  const { paths, components } = document
  const json = (operation: any) => operation.responses[200].content['application/json'].schema
  const body = findBodySchema(document, '/permissions/register', 'post')
  t.like(body.properties.visibility, { enum: ['private', 'workspace'], default: 'private' })
  t.like(body.properties.resource_id, { type: ['string', 'null'], format: 'uuid' })
  t.false(body.required.includes('visibility'))
  const { checks } = findBodySchema(document, '/permissions/check', 'post').properties
  t.like(checks, { minItems: 1, maxItems: 1000 })
  t.deepEqual(checks.items, { $ref: '#/components/schemas/PermissionCheck' })
  t.true('action' in components.schemas.PermissionCheck.properties)
  t.is(json(paths['/users/me/sessions'].get).type, 'array')
  t.is(json(paths['/workspaces'].get).items.$ref.split('/').length, 4)
  t.regex(components.schemas.ResourcePermissionResponse.description, /^The permission record/)
  t.is(
    components.schemas.ShareResponse.properties.permission.description,
    '`view` or `edit`. Empty, or null over REST, if the share has a role.',
  )
  t.true('Retry-After' in components.responses[429].headers)
  t.truthy(components.responses[422].content['application/problem+json'])
  // Fields bound to cookies are not part of a body.
  const callback = paths['/auth/callback/{provider}'].get
  const { headers } = callback.responses[302]
  t.deepEqual(Object.keys(headers), [
    'RateLimit',
    'RateLimit-Policy',
    'Location',
    'Set-Cookie',
    'Cross-Origin-Opener-Policy',
  ])
})

test('the documentation has the security headers, and returns 404 without DEBUG', async (t) => {
  const closed = await environment.addNode({ DEBUG: false })
  for (const path of pages) {
    const { status, headers } = await sendRawHttp(environment.httpPort, { path })
    t.is(status, 200, path)
    t.like(headers, { 'x-frame-options': 'DENY', server: 'daikon' }, path)
    const csp = String(headers['content-security-policy'])
    t.regex(csp, /^default-src 'none';.*frame-ancestors 'none'/)
    t.notRegex(csp, /unsafe|https?:|\*/)
    t.is((await sendRawHttp(closed.httpPort, { path })).status, 404, path)
  }
})
