import { randomUUID } from 'node:crypto'
import test from 'ava'
import { activityOf } from '../support/activity.ts'
import type { Door } from '../support/doors.ts'
import { answered, refused } from '../support/ending.ts'
import { type Office, openOffice, type Person, type ResourceRecord } from '../support/office.ts'
import { startWorld } from '../support/world.ts'

const world = await startWorld()
const other = await world.another()
const { pool, seed } = world
test.after.always(() => world.stop())

/** An office with one group, made by the admin. */
async function openHouse(door: Door) {
  const office = await openOffice(world, door)
  const { workspace, staff } = office
  const place = { workspace_id: workspace }
  const shown = { token: staff.admin.token }
  const made = await door.call('CreateGroup', { ...place, name: 'Writers' }, shown)
  const group = { ...place, group_id: answered(made).id as string }
  return {
    ...{ ...office, group, shown },
    add: (user_id: string) => door.call('AddGroupMember', { ...group, user_id }, shown),
    remove: (user_id: string) => door.call('RemoveGroupMember', { ...group, user_id }, shown),
    members: async () =>
      answered(await door.call('ListGroupMembers', group, shown)).members as Record<string, any>[],
  }
}

for (const door of world.doors) {
  const through = `through ${door.name}`
  const elsewhere = other.doors.find(({ name }) => name === door.name) ?? door
  /** Whether the other node allows it, as of now. */
  const mayElsewhere = async (
    { kind, as }: Pick<Office, 'kind' | 'as'>,
    person: Person,
    action: string,
    { resource_id }: ResourceRecord,
  ): Promise<boolean> => {
    const ending = await elsewhere.call(
      'Check',
      { checks: [{ ...kind, resource_id, action }] },
      as(person),
    )
    return answered(ending).results[0].allowed
  }

  test(`adding a member is 201 with status ok, again 201, recorded once ${through}`, async (t) => {
    const { add, staff, group, members, workspace } = await openHouse(door)
    const { id } = staff.editor
    for (let time = 0; time < 2; time += 1) {
      const ending = await add(id)
      t.deepEqual(answered(ending), { status: 'ok' })
      if (ending.ok && door.name === 'rest') t.is(ending.status, 201)
    }
    const [member, ...others] = await members()
    const { added_at, ...rest } = member ?? {}
    t.deepEqual(others, [])
    const email = `editor-${id}@example.com`
    t.deepEqual(rest, {
      ...{ user_id: id, group_id: group.group_id },
      ...{ email, name: 'editor', avatar_url: '' },
    })
    t.true(Math.abs(Date.parse(added_at) - Date.now()) < 60_000)
    const [, ...entries] = await activityOf(pool, group.group_id)
    t.deepEqual(entries, [
      {
        action: 'group.member_added',
        target_type: 'group',
        actor_id: staff.admin.id,
        workspace_id: workspace,
        detail: { name: 'Writers', user_id: id },
      },
    ])
  })

  test(`adding who is no member of the workspace is 404, known or not ${through}`, async (t) => {
    const { add, members, group } = await openHouse(door)
    const stranger = await seed.person(await seed.workspace(), 'owner')
    for (const id of [stranger, randomUUID()])
      t.like(refused(await add(id)), { kind: 'missing', reason: 'MEMBER_NOT_FOUND' })
    t.is(refused(await add('everybody')).kind, 'invalid')
    t.deepEqual(await members(), [])
    t.is((await activityOf(pool, group.group_id)).length, 1)
  })

  test(`an invited person can be in a group; their name stays unknown there ${through}`, async (t) => {
    const { add, members, workspace, shown } = await openHouse(door)
    const email = `guest-${randomUUID()}@example.com`
    await seed.user('secret', { email, avatar_url: 'https://example.com/secret.png' })
    const message = { workspace_id: workspace, email }
    const { user_id } = answered(await door.call('InviteMember', message, shown))
    t.deepEqual(answered(await add(user_id)), { status: 'ok' })
    const [member] = await members()
    t.like(member, { user_id, email, name: '', avatar_url: '' })
  })

  test(`members of a group are listed in a stable order, to any role ${through}`, async (t) => {
    const { add, members, staff, group } = await openHouse(door)
    const ids = Object.values(staff).map(({ id }) => id)
    for (const id of ids) answered(await add(id))
    const listed = (await members()).map(({ user_id }) => user_id)
    t.deepEqual(listed.toSorted(), ids.toSorted())
    await pool.query('update group_members set added_at = added_at where user_id = $1', [listed[0]])
    for (const { token } of Object.values(staff)) {
      const ending = await door.call('ListGroupMembers', group, { token })
      t.deepEqual(
        answered(ending).members.map((member: any) => member.user_id),
        listed,
      )
    }
  })

  test(`removing is 204 and recorded; who is not in the group is 404 ${through}`, async (t) => {
    const { add, remove, members, staff, workspace, group } = await openHouse(door)
    const { id } = staff.viewer
    const missing = { kind: 'missing', reason: 'MEMBER_NOT_FOUND' } as const
    t.like(refused(await remove(id)), missing)
    t.like(refused(await remove(randomUUID())), missing)
    answered(await add(id))
    const ending = await remove(id)
    t.true(ending.ok)
    if (ending.ok && door.name === 'rest') t.is(ending.status, 204)
    t.deepEqual(await members(), [])
    t.like(refused(await remove(id)), missing)
    const entries = await activityOf(pool, group.group_id)
    t.is(entries.length, 3)
    t.deepEqual(entries[2], {
      action: 'group.member_removed',
      target_type: 'group',
      actor_id: staff.admin.id,
      workspace_id: workspace,
      detail: { name: 'Writers', user_id: id },
    })
  })

  test(`the log spells an id as the answers do, however it was asked ${through}`, async (t) => {
    const { add, remove, staff, group } = await openHouse(door)
    const { id } = staff.viewer
    answered(await add(id.toUpperCase()))
    answered(await remove(id.toUpperCase()))
    const [, ...entries] = await activityOf(pool, group.group_id)
    t.deepEqual(
      entries.map(({ detail }) => detail.user_id),
      [id, id],
    )
  })

  test(`who joins or leaves a group gains or loses its shares at once on every node ${through}`, async (t) => {
    const { add, remove, group, ...office } = await openHouse(door)
    const { viewer, owner } = office.staff
    const record = await office.register(owner)
    await office.share(owner, record, { group: group.group_id }, 'edit')
    const may = () => mayElsewhere(office, viewer, 'edit', record)
    t.false(await may())
    for (let round = 0; round < 10; round += 1) {
      answered(await add(viewer.id))
      t.true(await may())
      answered(await remove(viewer.id))
      t.false(await may())
    }
  })

  test(`deleting a group is 204, recorded, and takes memberships and shares along ${through}`, async (t) => {
    const { add, group, shown, workspace, ...office } = await openHouse(door)
    const { viewer, owner, admin } = office.staff
    const record = await office.register(owner)
    await office.share(owner, record, { group: group.group_id }, 'view')
    answered(await add(viewer.id))
    const may = () => mayElsewhere(office, viewer, 'view', record)
    t.true(await may())
    const ending = await door.call('DeleteGroup', group, shown)
    t.true(ending.ok)
    if (ending.ok && door.name === 'rest') t.is(ending.status, 204)
    t.false(await may())
    t.deepEqual((await office.look(record)).shares, [])
    for (const table of ['group_members', 'shares']) {
      const sql = `select 1 from ${table} where group_id = $1`
      t.is((await pool.query(sql, [group.group_id])).rows.length, 0, table)
    }
    const members = refused(await door.call('ListGroupMembers', group, shown))
    t.like(members, { kind: 'missing', reason: 'GROUP_NOT_FOUND' })
    t.deepEqual((await activityOf(pool, group.group_id)).at(-1), {
      action: 'group.deleted',
      target_type: 'group',
      actor_id: admin.id,
      workspace_id: workspace,
      detail: { name: 'Writers' },
    })
    // The name is free again, and the new group inherits nothing.
    const again = await door.call(
      'CreateGroup',
      { workspace_id: workspace, name: 'Writers' },
      shown,
    )
    t.not(answered(again).id, group.group_id)
    t.false(await may())
  })
}
