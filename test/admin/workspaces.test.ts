import { randomUUID } from 'node:crypto'
import test from 'ava'
import { activityOf } from '../support/activity.ts'
import { hireAdmin } from '../support/admin.ts'
import { answered, refused } from '../support/ending.ts'
import { openOffice } from '../support/office.ts'
import { startWorld } from '../support/world.ts'

const world = await startWorld()
const { pool, seed } = world
const boss = await hireAdmin(world)
test.after.always(() => world.stop())

for (const door of world.doors) {
  const through = `through ${door.name}`
  const call = (method: string, message: object = {}) => boss.call(door, method, message)
  const make = (slug: string, name = 'Made') => call('CreateWorkspace', { name, slug })

  test(`an administrator who makes a workspace is its owner ${through}`, async (t) => {
    const slug = `s-${randomUUID()}`
    const ending = await make(slug, ' Made ')
    if (ending.ok && door.name === 'rest') t.is(ending.status, 201)
    const made = answered(ending)
    t.like(made, { name: 'Made', slug, description: '', role: 'owner' })
    const workspace_id = made.id
    t.deepEqual(answered(await call('GetWorkspace', { workspace_id })), made)
    const { members } = answered(await call('ListMembers', { workspace_id }))
    t.like(members, [{ user_id: boss.id, role: 'owner', status: 'active' }])
    const alone = { workspace_id, user_id: boss.id }
    for (const [method, more] of [
      ['RemoveMember', {}],
      ['UpdateMember', { role: 'viewer' }],
    ] as const)
      t.is(refused(await call(method, { ...alone, ...more })).reason, 'LAST_OWNER')
    t.like(refused(await make(slug)), { kind: 'conflict', reason: 'SLUG_TAKEN' })
    for (const wrong of ['all', 'A', '-x', 'x']) t.is(refused(await make(wrong)).kind, 'invalid')
    t.like(await activityOf(pool, workspace_id), [
      { action: 'workspace.created', actor_id: boss.id, workspace_id },
    ])
  })

  test(`workspaces are listed by slug, found by name or slug, a page at a time ${through}`, async (t) => {
    const mark = randomUUID().slice(0, 13)
    for (const letter of ['c', 'a', 'b'])
      answered(await make(`${letter}-${mark}`, `Haus_${letter}% ${mark}`))
    const list = async (message: object) => answered(await call('ListWorkspaces', message))
    const slugs = (page: Record<string, any>) => page.items.map(({ slug }: any) => slug[0])
    const first = await list({ q: mark, page_size: 2 })
    t.like(first, { total: 3, page: 1, page_size: 2 })
    t.deepEqual(slugs(first), ['a', 'b'])
    t.deepEqual(slugs(await list({ q: mark, page_size: 2, page: 2 })), ['c'])
    t.deepEqual(slugs(await list({ q: `hAUS_A% ${mark}` })), ['a'])
    t.deepEqual(slugs(await list({ q: `haus%${mark}` })), [])
    t.deepEqual(await list({ q: mark, page: 99 }), { ...first, items: [], page: 99, page_size: 20 })
    for (const wrong of [{ page: 0 }, { page_size: 101 }, { q: 'x'.repeat(101) }])
      t.is(refused(await call('ListWorkspaces', wrong)).kind, 'invalid')
    const { workspaces } = answered(await call('ListAllWorkspaces'))
    const ours = workspaces.filter(({ slug }: { slug: string }) => slug.endsWith(mark))
    t.deepEqual(
      ours.map(({ name, slug }: any) => [name, slug]),
      ['a', 'b', 'c'].map((letter) => [`Haus_${letter}% ${mark}`, `${letter}-${mark}`]),
    )
    t.deepEqual(Object.keys(ours[0]).toSorted(), ['id', 'name', 'slug'])
  })

  test(`a workspace is changed, and deleted with all that is in it ${through}`, async (t) => {
    const { workspace: workspace_id, staff } = await openOffice(world, door)
    const changed = await call('UpdateWorkspace', { workspace_id, name: 'New' })
    t.like(answered(changed), { id: workspace_id, name: 'New' })
    answered(await call('DeleteWorkspace', { workspace_id }))
    for (const method of ['GetWorkspace', 'UpdateWorkspace', 'DeleteWorkspace', 'ListMembers'])
      t.is(refused(await call(method, { workspace_id })).reason, 'WORKSPACE_NOT_FOUND')
    const fault = refused(
      await door.call('GetWorkspace', { workspace_id }, { token: staff.owner.token }),
    )
    t.is(fault.kind, 'forbidden')
  })

  test(`an administrator manages members of any role, owners too ${through}`, async (t) => {
    const { workspace: workspace_id, staff } = await openOffice(world, door)
    const email = `${randomUUID()}@example.com`
    const invited = answered(await call('InviteMember', { workspace_id, email, role: 'owner' }))
    t.like(invited, { email, role: 'owner', status: 'invited', name: '' })
    const member = (person: { id: string }) => ({ workspace_id, user_id: person.id })
    const up = await call('UpdateMember', { ...member(staff.editor), role: 'owner' })
    t.is(answered(up).role, 'owner')
    answered(await call('RemoveMember', member(staff.owner)))
    t.is(
      refused(await call('UpdateMember', { ...member(staff.editor), role: 'viewer' })).reason,
      'LAST_OWNER',
    )
    t.is(refused(await call('RemoveMember', member(staff.owner))).reason, 'MEMBER_NOT_FOUND')
    const again = { workspace_id, email: invited.email, role: 'king' }
    t.is(refused(await call('InviteMember', again)).kind, 'invalid')
    const { members } = answered(await call('ListMembers', { workspace_id, q: email }))
    t.deepEqual(members, [invited])
  })

  test(`an administrator manages groups and who is in them ${through}`, async (t) => {
    const { workspace: workspace_id, staff } = await openOffice(world, door)
    const made = answered(await call('CreateGroup', { workspace_id, name: 'Crew' }))
    t.like(made, { workspace_id, name: 'Crew', created_by: boss.id })
    const group_id = made.id
    t.deepEqual(answered(await call('ListGroups', { workspace_id })).groups, [made])
    t.like(answered(await call('UpdateGroup', { group_id, name: 'Team' })), { name: 'Team' })
    const taken = await seed.group(workspace_id, [], 'Taken')
    t.is(
      refused(await call('UpdateGroup', { group_id: taken, name: 'Team' })).reason,
      'GROUP_NAME_TAKEN',
    )
    const place = { group_id, user_id: staff.viewer.id }
    t.deepEqual(answered(await call('AddGroupMember', place)), { status: 'ok' })
    t.deepEqual(answered(await call('AddGroupMember', place)), { status: 'ok' })
    const stranger = { group_id, user_id: boss.id }
    t.is(refused(await call('AddGroupMember', stranger)).reason, 'MEMBER_NOT_FOUND')
    const { members } = answered(await call('ListGroupMembers', { group_id }))
    t.like(members, [{ user_id: staff.viewer.id, group_id }])
    answered(await call('RemoveGroupMember', place))
    t.is(refused(await call('RemoveGroupMember', place)).kind, 'missing')
    answered(await call('DeleteGroup', { group_id }))
    t.is(refused(await call('ListGroupMembers', { group_id })).reason, 'GROUP_NOT_FOUND')
    const actors = (await activityOf(pool, group_id)).map(({ actor_id }) => actor_id)
    t.deepEqual(new Set(actors), new Set([boss.id]))
    t.is(actors.length, 5)
  })
}

test.after('nothing of it was a fault of ours', (t) => t.deepEqual(world.failures, []))
