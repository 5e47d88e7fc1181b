import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createAdmin } from '../support/admin.ts'
import { sendRawHttp } from '../support/raw-requests.ts'
import { createRequestFixture } from '../support/request-fixture.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())
const transport = environment.transports.find(({ name }) => name === 'rest') as Transport

test('an undeclared query parameter returns 422 on every route but sign-in and the callbacks of providers', async (t) => {
  const requests = await createRequestFixture(environment, transport)
  const { key, people } = requests.fixture
  const headers = {
    'x-service-key': key,
    cookie: `admin_token=${requests.admin.token}`,
    origin: 'http://localhost:9004',
  }
  const exempt: string[] = []
  for (const operation of environment.app.operations) {
    const { name, policy, routes, input, bindings } = operation
    const { token = people.owner.token } = requests.credentials(operation)
    for (const { verb, path, pathFields, excludedFields, body } of routes) {
      const address = path.replace(/\{(\w+)\}/g, (_, field) =>
        String(requests.values[field] ?? 'x'),
      )
      const { status, json } = await sendRawHttp(environment.httpPort, {
        method: verb.toUpperCase(),
        path: `${address}?workspce_id=x`,
        headers: { ...headers, authorization: `Bearer ${token}` },
      })
      if (policy.ignoresUnknownParameters) {
        exempt.push(path)
        continue
      }
      // AuthZEN reports every invalid request as 400, without a list of fields. Gateways understand
      // only statuses.
      if (policy.profile === 'authzen' || policy.profile === 'gateway') {
        t.is(status, 400, name)
        continue
      }
      t.is(status, 422, name)
      const { message } = json.errors.find(({ field }: any) => field === 'workspce_id')
      const [, known] = /; use (.*)$/.exec(message) ?? []
      const inQuery = bindings.request.flatMap(({ field, query }) => (query ? [field] : []))
      const bound = bindings.request.map(({ field }) => field)
      const declared = input.fields
        .map(({ name }) => name)
        .filter((field) => ![...pathFields, ...excludedFields].includes(field))
        .filter((field) => (body || bound.includes(field) ? inQuery.includes(field) : true))
      if (declared.length === 0) t.regex(message, /which has none$/, name)
      else if (policy.tier !== 'public') t.is(known, declared.join(', '), name)
    }
  }
  t.deepEqual(exempt, [
    // Gateways append the query of their client to this route.
    '/access/v1/authorize/request',
    // OAuth 2.0 requires servers to ignore unknown parameters (RFC 6749, section 3.1).
    '/oauth/authorize',
    '/oauth/authorize',
    // Services that send e-mails append parameters of their own to links.
    '/oauth/invitations/{token}',
    '/oauth/invitations/{token}',
    '/oauth/token',
    '/oauth/userinfo',
    '/oauth/userinfo',
    '/oauth/revoke',
    '/oauth/introspect',
    '/oauth/logout',
    '/oauth/logout',
    '/auth/login/{provider}',
    '/auth/callback/{provider}',
    // The pages of a sign-in.
    '/auth/link',
    '/auth/link',
    '/auth/passkey',
    '/auth/admin/login/{provider}',
    '/auth/admin/callback/{provider}',
    '/auth/email',
    '/auth/email',
    '/auth/email/code',
    '/auth/email/code',
    '/auth/email/confirm',
  ])
})

test('undeclared parameters are reported together with invalid fields', async (t) => {
  const { token } = await createAdmin(environment)
  const { status, json } = await sendRawHttp(environment.httpPort, {
    path: '/admin/permissions?page=0&owner=x&workspace_id=y',
    headers: { cookie: `admin_token=${token}` },
  })
  t.is(status, 422)
  t.deepEqual(
    json.errors.map(({ field }: { field: string }) => field),
    ['owner', 'page', 'workspace_id'],
  )
  t.regex(json.errors[0].message, /^is not a query parameter of this route; use page, page_size, /)
})

test('a timestamp with an offset that PostgreSQL cannot represent returns 422', async (t) => {
  const { token } = await createAdmin(environment)
  const read = (since: string) =>
    sendRawHttp(environment.httpPort, {
      path: `/admin/activity?since=${encodeURIComponent(since)}`,
      headers: { cookie: `admin_token=${token}` },
    })
  t.is((await read('2026-11-22T10:00:00+15:59')).status, 200)
  const { status, json } = await read('2026-11-22T10:00:00+17:37')
  t.is(status, 422)
  t.is(json.errors[0].field, 'since')
})

test('null means absent for optional fields, and missing for required ones', async (t) => {
  const { people, key, kind, workspace } = await createWorkspaceFixture(environment, transport)
  const send = async (method: string, path: string, body: object) => {
    const response = await sendRawHttp(environment.httpPort, {
      method,
      path,
      headers: {
        'content-type': 'application/json',
        'x-service-key': key,
        authorization: `Bearer ${people.owner.token}`,
      },
      body: JSON.stringify(body),
    })
    return [response.status, response.json] as const
  }
  const facts = { ...kind, resource_id: randomUUID(), workspace_id: workspace }
  const [registered, record] = await send('POST', '/permissions/register', {
    ...facts,
    owner_id: people.owner.id,
    visibility: null,
  })
  t.deepEqual([registered, record.visibility], [201, 'private'])
  const [updated, me] = await send('PATCH', '/users/me', { name: 'New', avatar_url: null })
  t.deepEqual([updated, me.name], [200, 'New'])
  const list = { ...kind, action: 'view', workspace_id: workspace, limit: null, page_token: null }
  t.is((await send('POST', '/permissions/accessible', list))[0], 200)
  const actions = [{ name: 'publish', description: null }]
  const registration = { service_name: kind.service_name, actions }
  t.is((await send('PUT', '/permissions/actions', registration))[0], 200)

  const [missing, { errors }] = await send('POST', '/permissions/register', {
    ...facts,
    owner_id: null,
  })
  t.is(missing, 422)
  const message = 'is required, or owner_email or owner_external_id'
  t.deepEqual(errors, [{ field: 'owner_id', message }])
  const [invalid, problem] = await send('POST', '/permissions/check', { checks: [null] })
  t.is(invalid, 422)
  t.deepEqual(problem.errors, [{ field: 'checks[0]', message: 'must be an object' }])
})
