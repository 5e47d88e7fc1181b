import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createAdmin } from '../support/admin.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const anonymous = await environment.addNode({ ACTIVITY_RECORD_IP: false })
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

for (const transport of environment.transports) {
  test(`changes by services name the app, its key, the request and the address over ${transport.label}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { people, service, key, appId } = fixture
    const record = await fixture.register(people.owner)
    const toUser = { grantee_type: 'user', grantee_id: people.viewer.id }
    const permission_id = record.id
    await fixture.share(people.owner, record, { user: people.viewer.id }, 'view')
    const calls: [method: string, message: object][] = [
      ['UpdateVisibility', { permission_id, visibility: 'workspace' }],
      ['RevokeShare', { permission_id, ...toUser, permission: 'view' }],
      ['RegisterActions', { service_name: service, actions: [{ name: 'publish' }] }],
    ]
    for (const [method, message] of calls) {
      expectOk(await transport.call(method, message, { key }))
    }
    const { items } = expectOk(await admin.call(transport, 'ListActivity', { limit: 200 }))
    const own = items.filter((entry: any) => entry.detail.service_name === service)
    t.deepEqual(own.map(({ action }: any) => action).toSorted(), [
      'permission.registered',
      'permission.share_revoked',
      'permission.shared',
      'permission.visibility_changed',
      'service_action.registered',
    ])
    for (const entry of own) {
      t.like(entry, { service_app_id: appId, key_prefix: key.slice(0, 10), ip: '127.0.0.1' })
    }
    const ids = own.map(({ request_id }: any) => request_id)
    t.is(new Set(ids).size, 5)
    for (const id of ids) t.regex(id, /^[\w.-]{1,128}$/)
  })

  test(`changes batched into one statement each record their own request over ${transport.label}`, async (t) => {
    const first = await createWorkspaceFixture(environment, transport)
    const second = await createWorkspaceFixture(environment, transport)
    const both = await Promise.all(
      [first, second].map(async (fixture) => ({
        fixture,
        record: await fixture.register(fixture.people.owner),
      })),
    )
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const { fixture, record } = both[index % 2] as (typeof both)[0]
        const { owner, viewer } = fixture.people
        return fixture.share(owner, record, { user: viewer.id }, 'view')
      }),
    )
    const { rows } = await environment.pool.query(
      `select workspace_id, service_app_id, request_id from activity
       where workspace_id = any($1) and action = 'permission.shared'`,
      [[first.workspace, second.workspace]],
    )
    t.is(rows.length, 20)
    t.is(new Set(rows.map(({ request_id }) => request_id)).size, 20)
    for (const { workspace_id, service_app_id } of rows) {
      t.is(service_app_id, workspace_id === first.workspace ? first.appId : second.appId)
    }
  })
}

for (const transport of anonymous.transports) {
  test(`addresses are not recorded if recording them is disabled over ${transport.label}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const message = { workspace_id: fixture.workspace, name: randomUUID() }
    const { token } = fixture.people.admin
    expectOk(await transport.call('CreateGroup', message, { token }))
    const { rows } = await environment.pool.query(
      'select ip, request_id, service_app_id from activity where workspace_id = $1',
      [fixture.workspace],
    )
    t.is(rows.length, 1)
    t.is(rows[0].ip, null)
    t.is(rows[0].service_app_id, null)
    t.truthy(rows[0].request_id)
  })
}
