import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createAdmin } from '../support/admin.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

test('an administrator’s workflow with fetch', async (t) => {
  const admin = await createAdmin(environment)
  const rest = environment.transports.find(({ name }) => name === 'rest') as Transport
  const fixture = await createWorkspaceFixture(environment, rest)
  const record = await fixture.register(fixture.people.owner)
  const ask = async (method: string, path: string, body?: object, more = {}) => {
    const response = await fetch(`http://127.0.0.1:${environment.httpPort}/admin${path}`, {
      method,
      headers: {
        ...{ cookie: `admin_token=${admin.token}`, 'sec-fetch-site': 'same-origin' },
        ...(body && { 'content-type': 'application/json' }),
        ...more,
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    return { status: response.status, json: text ? JSON.parse(text) : undefined }
  }

  // A new user gets a workspace, a colleague and a group.
  const slug = `acme-${randomUUID()}`
  const made = await ask('POST', '/workspaces', { name: 'Acme', slug, description: 'Anvils' })
  t.is(made.status, 201)
  t.like(made.json, { name: 'Acme', slug, description: 'Anvils' })
  const home = `/workspaces/${made.json.id}`
  const email = `wile-${randomUUID()}@example.com`
  const invited = await ask('POST', `${home}/members/invite`, { email, role: 'editor' })
  t.is(invited.status, 201)
  const wile = invited.json.user_id
  t.like(await ask('PATCH', `${home}/members/${wile}`, { role: 'admin' }), {
    ...{ status: 200, json: { user_id: wile, role: 'admin', status: 'invited' } },
  })
  const group = await ask('POST', `${home}/groups`, { name: 'Hunters', description: '' })
  t.is(group.status, 201)
  const den = `/groups/${group.json.id}`
  t.deepEqual(await ask('POST', `${den}/members/${wile}`), { status: 201, json: { status: 'ok' } })
  t.like((await ask('GET', `${den}/members`)).json, [{ user_id: wile }])
  t.like((await ask('GET', `${home}/groups`)).json, [{ id: group.json.id, name: 'Hunters' }])
  t.is((await ask('PATCH', den, { name: 'Chasers' })).json.name, 'Chasers')

  // The user is looked up, added to another workspace and deactivated.
  const found = await ask('GET', `/users?q=${encodeURIComponent(email)}&page=1&page_size=5`)
  t.like(found.json, { items: [{ id: wile, email }], total: 1, page: 1, page_size: 5 })
  const place = { workspace_id: fixture.workspace, role: 'viewer' }
  t.is((await ask('POST', `/users/${wile}/workspaces`, place)).status, 201)
  const detail = await ask('GET', `/users/${wile}`)
  t.is(detail.json.memberships.length, 2)
  t.is(detail.json.last_sign_in_at, null)
  const gone = await ask('PATCH', `/users/${wile}`, { is_active: false })
  t.like(gone, { status: 200, json: { is_active: false } })
  t.is((await ask('PATCH', `/users/${admin.id}`, { is_active: false })).status, 403)

  // A document is shared.
  const records = await ask('GET', `/permissions?workspace_id=${fixture.workspace}`)
  t.like(records.json, { items: [{ id: record.id, share_count: 0 }], total: 1 })
  const grant = { grantee_type: 'user', grantee_id: fixture.people.viewer.id, permission: 'view' }
  const paper = `/permissions/${record.id}`
  t.is((await ask('POST', `${paper}/share`, grant)).status, 201)
  t.true(await fixture.isAllowed(fixture.people.viewer, 'view', record))
  t.like((await ask('GET', paper)).json.shares, [{ granted_by: admin.id }])
  t.deepEqual(await ask('DELETE', `${paper}/share`, grant), { status: 200, json: { status: 'ok' } })
  const open = await ask('PATCH', `${paper}/visibility`, { visibility: 'workspace' })
  t.like(open, { status: 200, json: { visibility: 'workspace' } })

  // Everything is deleted; requests from other sites are rejected.
  for (const site of ['cross-site', 'same-site'])
    t.is((await ask('DELETE', home, undefined, { 'sec-fetch-site': site })).status, 403)
  t.is((await ask('DELETE', `${den}/members/${wile}`)).status, 204)
  t.is((await ask('DELETE', den)).status, 204)
  t.is((await ask('DELETE', `${home}/members/${wile}`)).status, 204)
  t.is((await ask('DELETE', home)).status, 204)
  t.is((await ask('GET', home)).status, 404)
  t.is((await ask('GET', '/workspaces/none')).status, 422)
  const all = await ask('GET', '/workspaces/all')
  t.false(all.json.some(({ id }: { id: string }) => id === made.json.id))
  const log = await ask('GET', `/activity?actor_id=${admin.id}&limit=200`)
  const actions = new Set(log.json.items.map(({ action }: { action: string }) => action))
  for (const action of ['workspace.created', 'user.deactivated', 'workspace.deleted'])
    t.true(actions.has(action), action)
})
