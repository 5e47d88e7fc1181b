import { randomUUID } from 'node:crypto'
import test from 'ava'
import { listActivity } from '../support/activity.ts'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { pool, seed } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

for (const transport of environment.transports) {
  const through = `over ${transport.label}`
  const call = (method: string, message: object = {}) => admin.call(transport, method, message)
  const make = (slug: string, name = 'Made') => call('CreateWorkspace', { name, slug })

  test(`an administrator who creates a workspace becomes its owner ${through}`, async (t) => {
    const slug = `s-${randomUUID()}`
    const outcome = await make(slug, ' Made ')
    if (outcome.ok && transport.name === 'rest') t.is(outcome.status, 201)
    const created = expectOk(outcome)
    t.like(created, { name: 'Made', slug, description: '', role: 'owner' })
    const workspace_id = created.id
    const { etag, ...workspace } = expectOk(await call('GetWorkspace', { workspace_id }))
    t.regex(etag, /^"/)
    t.like(created, workspace)
    const { members } = expectOk(await call('ListMembers', { workspace_id }))
    t.like(members, [{ user_id: admin.id, role: 'owner', status: 'active' }])
    const alone = { workspace_id, user_id: admin.id }
    for (const [method, more] of [
      ['RemoveMember', {}],
      ['UpdateMember', { role: 'viewer' }],
    ] as const)
      t.is(expectError(await call(method, { ...alone, ...more })).reason, 'LAST_OWNER')
    t.like(expectError(await make(slug)), { code: 'already_exists', reason: 'SLUG_TAKEN' })
    for (const invalid of ['all', 'A', '-x', 'x'])
      t.is(expectError(await make(invalid)).code, 'invalid_argument')
    t.like(await listActivity(pool, workspace_id), [
      { action: 'workspace.created', actor_id: admin.id, workspace_id },
    ])
  })

  test(`workspaces are listed by slug in pages and searched by name or slug ${through}`, async (t) => {
    const mark = randomUUID().slice(0, 13)
    for (const letter of ['c', 'a', 'b'])
      expectOk(await make(`${letter}-${mark}`, `Haus_${letter}% ${mark}`))
    const list = async (message: object) => expectOk(await call('ListWorkspaces', message))
    const slugs = (page: Record<string, any>) => page.items.map(({ slug }: any) => slug[0])
    const first = await list({ q: mark, page_size: 2 })
    t.like(first, { total: 3, page: 1, page_size: 2 })
    t.deepEqual(slugs(first), ['a', 'b'])
    t.deepEqual(slugs(await list({ q: mark, page_size: 2, page: 2 })), ['c'])
    t.deepEqual(slugs(await list({ q: `hAUS_A% ${mark}` })), ['a'])
    t.deepEqual(slugs(await list({ q: `haus%${mark}` })), [])
    t.deepEqual(await list({ q: mark, page: 99 }), { ...first, items: [], page: 99, page_size: 20 })
    for (const invalid of [{ page: 0 }, { page_size: 101 }, { q: 'x'.repeat(101) }])
      t.is(expectError(await call('ListWorkspaces', invalid)).code, 'invalid_argument')
    const { workspaces } = expectOk(await call('ListAllWorkspaces'))
    const matching = workspaces.filter(({ slug }: { slug: string }) => slug.endsWith(mark))
    t.deepEqual(
      matching.map(({ name, slug }: any) => [name, slug]),
      ['a', 'b', 'c'].map((letter) => [`Haus_${letter}% ${mark}`, `${letter}-${mark}`]),
    )
    t.deepEqual(Object.keys(matching[0]).toSorted(), ['id', 'name', 'slug'])
  })

  test(`a workspace can be updated, and deleting it deletes everything in it ${through}`, async (t) => {
    const { workspace: workspace_id, people } = await createWorkspaceFixture(environment, transport)
    const changed = await call('UpdateWorkspace', { workspace_id, name: 'New' })
    t.like(expectOk(changed), { id: workspace_id, name: 'New' })
    expectOk(await call('DeleteWorkspace', { workspace_id }))
    for (const method of ['GetWorkspace', 'UpdateWorkspace', 'DeleteWorkspace', 'ListMembers'])
      t.is(expectError(await call(method, { workspace_id })).reason, 'WORKSPACE_NOT_FOUND')
    const error = expectError(
      await transport.call('GetWorkspace', { workspace_id }, { token: people.owner.token }),
    )
    t.is(error.code, 'unauthenticated')
  })

  test(`an administrator can manage members of every role ${through}`, async (t) => {
    const { workspace: workspace_id, people } = await createWorkspaceFixture(environment, transport)
    const email = `${randomUUID()}@example.com`
    const invited = expectOk(await call('InviteMember', { workspace_id, email, role: 'owner' }))
    t.like(invited, { email, role: 'owner', status: 'invited', name: '' })
    const member = (person: { id: string }) => ({ workspace_id, user_id: person.id })
    const up = await call('UpdateMember', { ...member(people.editor), role: 'owner' })
    t.is(expectOk(up).role, 'owner')
    expectOk(await call('RemoveMember', member(people.owner)))
    t.is(
      expectError(await call('UpdateMember', { ...member(people.editor), role: 'viewer' })).reason,
      'LAST_OWNER',
    )
    t.is(expectError(await call('RemoveMember', member(people.owner))).reason, 'MEMBER_NOT_FOUND')
    const again = { workspace_id, email: invited.email, role: 'king' }
    t.is(expectError(await call('InviteMember', again)).code, 'invalid_argument')
    const { members } = expectOk(await call('ListMembers', { workspace_id, q: email }))
    const { invitation_url: _, ...listed } = members[0]
    t.like(invited, listed)
    t.is(members.length, 1)
  })

  test(`an administrator can manage groups and their members ${through}`, async (t) => {
    const { workspace: workspace_id, people } = await createWorkspaceFixture(environment, transport)
    const created = expectOk(await call('CreateGroup', { workspace_id, name: 'Crew' }))
    t.like(created, { workspace_id, name: 'Crew', created_by: admin.id })
    const group_id = created.id
    t.deepEqual(expectOk(await call('ListGroups', { workspace_id })).groups, [created])
    t.like(expectOk(await call('UpdateGroup', { group_id, name: 'Team' })), { name: 'Team' })
    const taken = await seed.group(workspace_id, [], 'Taken')
    t.is(
      expectError(await call('UpdateGroup', { group_id: taken, name: 'Team' })).reason,
      'GROUP_NAME_TAKEN',
    )
    const membership = { group_id, user_id: people.viewer.id }
    t.deepEqual(expectOk(await call('AddGroupMember', membership)), { status: 'ok' })
    t.deepEqual(expectOk(await call('AddGroupMember', membership)), { status: 'ok' })
    const nonMember = { group_id, user_id: admin.id }
    t.is(expectError(await call('AddGroupMember', nonMember)).reason, 'MEMBER_NOT_FOUND')
    const { members } = expectOk(await call('ListGroupMembers', { group_id }))
    t.like(members, [{ user_id: people.viewer.id, group_id }])
    expectOk(await call('RemoveGroupMember', membership))
    t.is(expectError(await call('RemoveGroupMember', membership)).code, 'not_found')
    expectOk(await call('DeleteGroup', { group_id }))
    t.is(expectError(await call('ListGroupMembers', { group_id })).reason, 'GROUP_NOT_FOUND')
    const actors = (await listActivity(pool, group_id)).map(({ actor_id }) => actor_id)
    t.deepEqual(new Set(actors), new Set([admin.id]))
    t.is(actors.length, 5)
  })
}

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
