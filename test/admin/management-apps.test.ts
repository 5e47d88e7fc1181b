import { randomUUID } from 'node:crypto'
import test from 'ava'
import { managementScopes } from '../../src/core/scopes.ts'
import { isManagementSecret } from '../../src/identity/management-apps.ts'
import { createAdmin } from '../support/admin.ts'
import { createManagementApp, issueManagementToken } from '../support/management-apps.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { methodName, placeholderMessage } from '../support/request-fixture.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
const { pool } = environment
const other = await environment.addNode()
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

/** The methods that accept administrators. */
const adminOperations = environment.app.operations.filter(({ policy }) => policy.tier === 'admin')

for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  const onOtherNode = other.transports.find(({ name }) => name === transport.name) ?? transport
  const create = (...scopes: string[]) => createManagementApp(transport, admin, ...scopes)

  test(`a secret is shown once and only its hash is stored ${over}`, async (t) => {
    const request = { name: ' Deployment ', scopes: ['users:read', 'apps:write', 'users:read'] }
    const { client_secret, ...app } = expectOk(
      await admin.call(transport, 'CreateManagementApp', request),
    )
    t.true(isManagementSecret(client_secret))
    t.like(app, {
      client_id: app.id,
      name: 'Deployment',
      scopes: ['apps:write', 'users:read'],
      is_active: true,
      secret_prefix: client_secret.slice(0, 10),
      created_by: admin.id,
    })
    const { management_apps: apps } = expectOk(await admin.call(transport, 'ListManagementApps'))
    const listed = apps.find(({ id }: { id: string }) => id === app.id)
    t.like(listed, { name: 'Deployment', scopes: ['apps:write', 'users:read'] })
    t.falsy(listed.client_secret)
    const { rows } = await pool.query(
      `select (select jsonb_agg(s) from management_secrets s where app_id = $1)::text
         || (select jsonb_agg(a) from activity a where target_id = $1)::text as text`,
      [app.id],
    )
    t.false(rows[0].text.includes(client_secret))
  })

  test(`client credentials give a token of 15 minutes for the scopes of the app ${over}`, async (t) => {
    const { id, secret } = await create('users:read', 'workspaces:write')
    const grant = { grant_type: 'client_credentials' }
    const basic = Buffer.from(`${id}:${secret}`).toString('base64')
    const requests = [
      { ...grant, client_id: id, client_secret: secret },
      { ...grant, authorization: `Basic ${basic}` },
    ]
    for (const message of requests) {
      const issued = expectOk(await transport.call('IssueToken', message))
      t.like(issued, {
        token_type: 'Bearer',
        expires_in: 900,
        scope: 'users:read workspaces:write',
      })
      t.falsy(issued.refresh_token)
      t.falsy(issued.refresh_expires_in)
      const as = { token: issued.access_token as string }
      expectOk(await transport.call('AdminService/ListUsers', {}, as))
    }
    const narrow = { scope: 'workspaces:read' }
    const token = await issueManagementToken(transport, { id, secret }, narrow)
    expectOk(await transport.call('AdminService/ListWorkspaces', {}, { token }))
    const denied = await transport.call('AdminService/ListUsers', {}, { token })
    t.is(expectError(denied).reason, 'SCOPE_MISSING')
    for (const [more, error] of [
      [{ scope: 'users:write' }, 'invalid_scope'],
      [{ client_secret: `${secret.slice(0, -1)}~` }, 'invalid_client'],
      [{ client_id: randomUUID() }, 'invalid_client'],
    ] as const) {
      const message = { ...grant, client_id: id, client_secret: secret, ...more }
      t.is(expectError(await transport.call('IssueToken', message)).reason, error.toUpperCase())
    }
  })

  // Rejected and invalid calls change nothing, so all methods can share the apps.
  test(`every admin method requires its scope, before it reads the request ${over}`, async (t) => {
    const apps = new Map<string, { token: string }>()
    for (const scope of managementScopes) apps.set(scope, (await create(scope)).as)
    const none = await create('users:read')
    await pool.query("update management_apps set scopes = '{}' where id = $1", [none.id])
    const counts = { methods: 0, right: 0, wrong: 0, none: 0, administratorsOnly: 0 }
    for (const operation of adminOperations) {
      const method = `${operation.service}/${methodName(operation)}`
      const required = operation.policy.scope as string
      const valid = placeholderMessage(operation)
      const call = (as: { token: string }) => transport.call(method, valid, as)
      counts.methods += 1
      if (required === 'none') {
        for (const as of [...apps.values(), none.as]) {
          t.is(expectError(await call(as)).reason, 'ADMINISTRATOR_REQUIRED', method)
        }
        counts.administratorsOnly += 1
        continue
      }
      const [area] = required.split(':')
      for (const [scope, as] of apps) {
        const outcome = await call(as)
        if (scope === required || scope === `${area}:write`) {
          const code = outcome.ok ? undefined : outcome.code
          t.false(code === 'permission_denied' || code === 'unauthenticated', `${method} ${scope}`)
          counts.right += 1
        } else {
          t.like(expectError(outcome), {
            reason: 'SCOPE_MISSING',
            detail: `The management app needs the scope ${required}`,
          })
          counts.wrong += 1
        }
      }
      t.is(expectError(await call(none.as)).reason, 'SCOPE_MISSING', method)
      counts.none += 1
    }
    t.log(counts)
    t.true(counts.methods > 80)
    t.is(counts.none + counts.administratorsOnly, counts.methods)
  })

  test(`scopes are read live on every node ${over}`, async (t) => {
    const { id, as } = await create('users:read')
    const list = (on = transport) => on.call('AdminService/ListUsers', {}, as)
    for (const on of [transport, onOtherNode]) expectOk(await list(on))
    const change = (scopes: string[]) =>
      admin.call(transport, 'UpdateManagementApp', { management_app_id: id, scopes })
    expectOk(await change(['stats:read']))
    for (const on of [transport, onOtherNode])
      t.is(expectError(await list(on)).reason, 'SCOPE_MISSING')
    expectOk(await change(['users:write']))
    for (const on of [transport, onOtherNode]) expectOk(await list(on))
  })

  const ends: Record<string, (target: { management_app_id: string }) => Promise<unknown>> = {
    'is deactivated, even if it is activated again': async (target) => {
      const message = { ...target, is_active: false }
      expectOk(await admin.call(transport, 'UpdateManagementApp', message))
    },
    'gets a new secret without an overlap': async (target) =>
      expectOk(
        await admin.call(transport, 'RotateManagementApp', { ...target, overlap_seconds: 0 }),
      ),
    'is deleted': async (target) =>
      expectOk(await admin.call(transport, 'DeleteManagementApp', target)),
  }

  for (const [way, end] of Object.entries(ends)) {
    test(`tokens of an app end when it ${way} ${over}`, async (t) => {
      const { id, secret, as } = await create('stats:read')
      const check = (on = transport) => on.call('GetStats', {}, as)
      for (const on of [transport, onOtherNode]) expectOk(await check(on))
      await end({ management_app_id: id })
      for (const on of [transport, onOtherNode])
        t.is(expectError(await check(on)).reason, 'TOKEN_REVOKED')
      const grant = {
        grant_type: 'client_credentials',
        client_id: id,
        client_secret: secret,
      }
      t.is(expectError(await transport.call('IssueToken', grant)).reason, 'INVALID_CLIENT')
      if (!way.includes('deactivated')) return
      const message = { management_app_id: id, is_active: true }
      expectOk(await admin.call(transport, 'UpdateManagementApp', message))
      t.is(expectError(await check()).reason, 'TOKEN_REVOKED')
      expectOk(await transport.call('IssueToken', grant))
    })
  }

  test(`both secrets are valid during the overlap ${over}`, async (t) => {
    const app = await create('stats:read')
    const rotated = expectOk(
      await admin.call(transport, 'RotateManagementApp', { management_app_id: app.id }),
    )
    t.not(rotated.client_secret, app.secret)
    for (const secret of [app.secret, rotated.client_secret]) {
      const token = await issueManagementToken(transport, { id: app.id, secret })
      expectOk(await transport.call('GetStats', {}, { token }))
    }
    expectOk(await transport.call('GetStats', {}, app.as))
  })

  test(`a token is not accepted as the other kind ${over}`, async (t) => {
    const { as } = await create(...managementScopes)
    const asCookie = await transport.call('GetStats', {}, { admin: as.token })
    t.is(expectError(asCookie).reason, 'TOKEN_INVALID')
    const asBearer = await transport.call('GetStats', {}, { token: admin.token })
    t.is(expectError(asBearer).reason, 'TOKEN_INVALID')
    const asUser = await transport.call('GetMe', {}, as)
    t.is(expectError(asUser).reason, 'TOKEN_INVALID')
  })

  test(`no Origin is required of a management app ${over}`, async (t) => {
    const { as } = await create('workspaces:write')
    const message = { name: 'New', slug: `w-${randomUUID()}` }
    const headers = { origin: 'https://ci.example.com' }
    t.truthy(
      expectOk(await transport.call('AdminService/CreateWorkspace', message, { ...as, headers }))
        .id,
    )
  })

  test(`a management app acts under its own name, and owns nothing ${over}`, async (t) => {
    const { id, as } = await create('workspaces:write', 'apps:write')
    const call = async (method: string, message: object) =>
      expectOk(await transport.call(`AdminService/${method}`, message, as))
    const workspace = await call('CreateWorkspace', { name: 'New', slug: `w-${randomUUID()}` })
    const workspace_id = workspace.id
    const owner = { workspace_id, email: `${randomUUID()}@example.com`, role: 'owner' }
    await call('InviteMember', owner)
    await call('CreateGroup', { workspace_id, name: 'Editors' })
    await call('CreateServiceApp', { name: 'Docs', service_name: `s-${randomUUID()}` })
    await call('CreateClientApp', { name: 'App', redirect_uris: ['https://app.example.com/'] })
    const { members } = await call('ListMembers', { workspace_id })
    t.deepEqual(
      members.map(({ email, role }: Record<string, string>) => [email, role]),
      [[owner.email, 'owner']],
    )
    const { items } = expectOk(await admin.call(transport, 'ListActivity', { actor_id: id }))
    t.deepEqual(
      items.map(({ action, actor_type }: Record<string, string>) => [action, actor_type]),
      [
        ['client_app.created', 'management_app'],
        ['service_app.created', 'management_app'],
        ['group.created', 'management_app'],
        ['member.invited', 'management_app'],
        ['workspace.created', 'management_app'],
      ],
    )
  })

  test(`a management app cannot lock the last administrator out ${over}`, async (t) => {
    const { as } = await create('users:write')
    const { rows } = await pool.query('select id from users where is_admin and is_active')
    t.deepEqual(rows, [{ id: admin.id }])
    for (const [method, message] of [
      ['UpdateUser', { user_id: admin.id, is_active: false }],
      ['DeleteUser', { user_id: admin.id }],
    ] as const) {
      const outcome = await transport.call(`AdminService/${method}`, message, as)
      t.is(expectError(outcome).reason, 'LAST_ADMINISTRATOR')
    }
  })
}
