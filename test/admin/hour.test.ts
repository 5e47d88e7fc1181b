import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createAdmin } from '../support/admin.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

test('an administrator completes a typical workflow with fetch', async (t) => {
  const admin = await createAdmin(environment)
  const rest = environment.transports.find(({ name }) => name === 'rest') as Transport
  const fixture = await createWorkspaceFixture(environment, rest)
  const record = await fixture.register(fixture.people.owner)
  const send = async (method: string, path: string, body?: object, more = {}) => {
    const response = await fetch(`http://127.0.0.1:${environment.httpPort}/admin${path}`, {
      method,
      headers: {
        cookie: `admin_token=${admin.token}`,
        'sec-fetch-site': 'same-origin',
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
  const created = await send('POST', '/workspaces', { name: 'Acme', slug, description: 'Anvils' })
  t.is(created.status, 201)
  t.like(created.json, { name: 'Acme', slug, description: 'Anvils' })
  const workspacePath = `/workspaces/${created.json.id}`
  const email = `wile-${randomUUID()}@example.com`
  const invited = await send('POST', `${workspacePath}/members/invite`, { email, role: 'editor' })
  t.is(invited.status, 201)
  const inviteeId = invited.json.user_id
  t.like(await send('PATCH', `${workspacePath}/members/${inviteeId}`, { role: 'admin' }), {
    status: 200,
    json: { user_id: inviteeId, role: 'admin', status: 'invited' },
  })
  const group = await send('POST', `${workspacePath}/groups`, { name: 'Hunters', description: '' })
  t.is(group.status, 201)
  const groupPath = `/groups/${group.json.id}`
  t.deepEqual(await send('POST', `${groupPath}/members/${inviteeId}`), {
    status: 201,
    json: { status: 'ok' },
  })
  t.like((await send('GET', `${groupPath}/members`)).json, [{ user_id: inviteeId }])
  t.like((await send('GET', `${workspacePath}/groups`)).json, [
    { id: group.json.id, name: 'Hunters' },
  ])
  t.is((await send('PATCH', groupPath, { name: 'Chasers' })).json.name, 'Chasers')

  // The user is looked up, added to another workspace and deactivated.
  const found = await send('GET', `/users?q=${encodeURIComponent(email)}&page=1&page_size=5`)
  t.like(found.json, { items: [{ id: inviteeId, email }], total: 1, page: 1, page_size: 5 })
  const invitation = { workspace_id: fixture.workspace, role: 'viewer' }
  t.is((await send('POST', `/users/${inviteeId}/workspaces`, invitation)).status, 201)
  const detail = await send('GET', `/users/${inviteeId}`)
  t.is(detail.json.memberships.length, 2)
  t.is(detail.json.last_sign_in_at, null)
  const deactivated = await send('PATCH', `/users/${inviteeId}`, { is_active: false })
  t.like(deactivated, { status: 200, json: { is_active: false } })
  t.is((await send('PATCH', `/users/${admin.id}`, { is_active: false })).status, 403)

  // A document is shared.
  const records = await send('GET', `/permissions?workspace_id=${fixture.workspace}`)
  t.like(records.json, { items: [{ id: record.id, share_count: 0 }], total: 1 })
  const grant = { grantee_type: 'user', grantee_id: fixture.people.viewer.id, permission: 'view' }
  const permissionPath = `/permissions/${record.id}`
  t.is((await send('POST', `${permissionPath}/share`, grant)).status, 201)
  t.true(await fixture.isAllowed(fixture.people.viewer, 'view', record))
  t.like((await send('GET', permissionPath)).json.shares, [{ granted_by: admin.id }])
  t.deepEqual(await send('DELETE', `${permissionPath}/share`, grant), {
    status: 200,
    json: { status: 'ok' },
  })
  const open = await send('PATCH', `${permissionPath}/visibility`, { visibility: 'workspace' })
  t.like(open, { status: 200, json: { visibility: 'workspace' } })

  // Everything is deleted; requests from other sites are rejected.
  for (const site of ['cross-site', 'same-site'])
    t.is((await send('DELETE', workspacePath, undefined, { 'sec-fetch-site': site })).status, 403)
  t.is((await send('DELETE', `${groupPath}/members/${inviteeId}`)).status, 204)
  t.is((await send('DELETE', groupPath)).status, 204)
  t.is((await send('DELETE', `${workspacePath}/members/${inviteeId}`)).status, 204)
  t.is((await send('DELETE', workspacePath)).status, 204)
  t.is((await send('GET', workspacePath)).status, 404)
  t.is((await send('GET', '/workspaces/none')).status, 422)
  const all = await send('GET', '/workspaces/all')
  t.false(all.json.some(({ id }: { id: string }) => id === created.json.id))
  const log = await send('GET', `/activity?actor_id=${admin.id}&limit=200`)
  const actions = new Set(log.json.items.map(({ action }: { action: string }) => action))
  for (const action of ['workspace.created', 'user.deactivated', 'workspace.deleted'])
    t.true(actions.has(action), action)
})
