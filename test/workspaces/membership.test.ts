import { randomUUID } from 'node:crypto'
import test from 'ava'
import { activityOf } from '../support/activity.ts'
import { answered, refused } from '../support/ending.ts'
import { openOffice, type Person } from '../support/office.ts'
import { startWorld } from '../support/world.ts'

const world = await startWorld()
const other = await world.another()
const { pool, seed } = world
test.after.always(() => world.stop())

async function roleOf(workspaceId: string, userId: string): Promise<string | undefined> {
  const sql = 'select role from members where workspace_id = $1 and user_id = $2'
  return (await pool.query(sql, [workspaceId, userId])).rows[0]?.role
}

for (const door of world.doors) {
  const through = `through ${door.name}`
  const elsewhere = other.doors.find(({ name }) => name === door.name) ?? door

  test(`an admin changes a role: 200 with the membership, recorded with from and to ${through}`, async (t) => {
    const { workspace, staff, ...office } = await openOffice(world, door)
    const person = await office.hire('viewer')
    const place = { workspace_id: workspace, user_id: person.id }
    const shown = { token: staff.admin.token }
    for (const role of ['editor', 'admin', 'viewer']) {
      const ending = await door.call('UpdateMember', { ...place, role }, shown)
      t.like(answered(ending), { ...place, role, status: 'active', name: 'viewer' })
      if (ending.ok && door.name === 'rest') t.is(ending.status, 200)
      t.is(await roleOf(workspace, person.id), role)
    }
    const entry = { action: 'member.role_changed', target_type: 'user' }
    const by = { actor_id: staff.admin.id, workspace_id: workspace }
    t.deepEqual(await activityOf(pool, person.id), [
      { ...entry, ...by, detail: { from: 'viewer', to: 'editor' } },
      { ...entry, ...by, detail: { from: 'editor', to: 'admin' } },
      { ...entry, ...by, detail: { from: 'admin', to: 'viewer' } },
    ])
    // The role that somebody has already is no change.
    answered(await door.call('UpdateMember', { ...place, role: 'viewer' }, shown))
    t.is((await activityOf(pool, person.id)).length, 3)
  })

  test(`a new role holds at once for the token that is out already ${through}`, async (t) => {
    const { workspace, staff, ...office } = await openOffice(world, door)
    const person = await office.hire('admin')
    const group = { workspace_id: workspace, name: randomUUID() }
    const place = { workspace_id: workspace, user_id: person.id }
    const shown = { token: staff.owner.token }
    answered(await elsewhere.call('CreateGroup', group, { token: person.token }))
    answered(await door.call('UpdateMember', { ...place, role: 'viewer' }, shown))
    const fault = refused(await elsewhere.call('CreateGroup', group, { token: person.token }))
    t.like(fault, { kind: 'forbidden', reason: 'ROLE_TOO_LOW' })
  })

  test(`changing and removing others takes an admin; nobody raises themselves ${through}`, async (t) => {
    const { workspace, staff } = await openOffice(world, door)
    for (const caller of [staff.viewer, staff.editor]) {
      const shown = { token: caller.token }
      for (const { id } of Object.values(staff)) {
        const place = { workspace_id: workspace, user_id: id }
        for (const role of ['viewer', 'admin', 'owner']) {
          const fault = refused(await door.call('UpdateMember', { ...place, role }, shown))
          t.like(fault, { kind: 'forbidden', reason: 'ROLE_TOO_LOW' })
        }
        if (id === caller.id) continue
        const fault = refused(await door.call('RemoveMember', place, shown))
        t.like(fault, { kind: 'forbidden', reason: 'ROLE_TOO_LOW' })
      }
    }
    for (const [role, { id }] of Object.entries(staff)) t.is(await roleOf(workspace, id), role)
  })

  test(`the role is one of four and has to be given ${through}`, async (t) => {
    const { workspace, staff } = await openOffice(world, door)
    const place = { workspace_id: workspace, user_id: staff.viewer.id }
    for (const role of ['', 'Admin', 'member', 'none', 'constructor']) {
      const message = { ...place, role }
      const fault = refused(await door.call('UpdateMember', message, { token: staff.owner.token }))
      t.is(fault.kind, 'invalid')
      t.deepEqual(
        fault.problems.map(({ field }) => field),
        ['role'],
      )
    }
    t.is(await roleOf(workspace, staff.viewer.id), 'viewer')
  })

  test(`who is no member is 404, and no UUID 422 ${through}`, async (t) => {
    const { workspace, staff } = await openOffice(world, door)
    const shown = { token: staff.owner.token }
    for (const user_id of [randomUUID(), await seed.user()]) {
      const place = { workspace_id: workspace, user_id }
      for (const call of [
        door.call('UpdateMember', { ...place, role: 'editor' }, shown),
        door.call('RemoveMember', place, shown),
      ])
        t.like(refused(await call), { kind: 'missing', reason: 'MEMBER_NOT_FOUND' })
    }
    const wrong = { workspace_id: workspace, user_id: 'me' }
    t.is(refused(await door.call('RemoveMember', wrong, shown)).kind, 'invalid')
  })

  test(`ids count alike in upper case ${through}`, async (t) => {
    const { workspace, staff } = await openOffice(world, door)
    const place = { workspace_id: workspace.toUpperCase(), user_id: staff.viewer.id.toUpperCase() }
    const shown = { token: staff.viewer.token }
    answered(await door.call('RemoveMember', place, shown))
    const [entry] = await activityOf(pool, staff.viewer.id)
    t.like(entry, { workspace_id: workspace, actor_id: staff.viewer.id })
  })

  test(`an admin removes a member: 204, recorded, and a second time 404 ${through}`, async (t) => {
    const { workspace, staff } = await openOffice(world, door)
    const place = { workspace_id: workspace, user_id: staff.editor.id }
    const shown = { token: staff.admin.token }
    const ending = await door.call('RemoveMember', place, shown)
    t.true(ending.ok)
    if (ending.ok && door.name === 'rest') t.is(ending.status, 204)
    t.like(refused(await door.call('RemoveMember', place, shown)), { kind: 'missing' })
    const { rows } = await pool.query('select email from users where id = $1', [staff.editor.id])
    t.deepEqual(await activityOf(pool, staff.editor.id), [
      {
        action: 'member.removed',
        target_type: 'user',
        actor_id: staff.admin.id,
        workspace_id: workspace,
        detail: { email: rows[0].email, role: 'editor' },
      },
    ])
  })

  test(`anybody leaves, whatever their role, and is out at once on every node ${through}`, async (t) => {
    const { workspace, staff, ...office } = await openOffice(world, door)
    await office.hire('owner')
    for (const [role, person] of Object.entries(staff)) {
      const place = { workspace_id: workspace, user_id: person.id }
      const shown = { token: person.token }
      answered(await door.call('RemoveMember', place, shown))
      const again = refused(await elsewhere.call('RemoveMember', place, shown))
      t.like(again, { kind: 'forbidden', reason: 'NOT_A_MEMBER' })
      const list = await elsewhere.call('ListMembers', { workspace_id: workspace }, shown)
      t.like(refused(list), { kind: 'forbidden', reason: 'NOT_A_MEMBER' })
      const [entry] = await activityOf(pool, person.id)
      t.like(entry, { action: 'member.removed', actor_id: person.id, detail: { role } })
    }
  })

  test(`removing takes groups, custom roles, direct shares and refresh families along ${through}`, async (t) => {
    const office = await openOffice(world, door)
    const { workspace, staff, service } = office
    const person = await office.hire('viewer')
    const group = await seed.group(workspace, [person.id])
    const action = await seed.serviceAction(service, 'publish')
    await seed.customRole(workspace, [action], [person.id])
    const [direct, grouped, own] = [
      await office.register(staff.owner),
      await office.register(staff.owner),
      await office.register(person),
    ]
    await office.share(staff.owner, direct, { user: person.id }, 'edit')
    await office.share(staff.owner, grouped, { group }, 'view')
    await pool.query(
      `insert into refresh_families
         (id, user_id, workspace_id, provider, created_at, last_used_at, expires_at)
       values (gen_random_uuid(), $1, $2, 'google', now(), now(), now() + interval '1 day')`,
      [person.id, workspace],
    )
    const held = async () => {
      const tables = ['members', 'group_members', 'custom_role_members', 'refresh_families']
      const counts = [...tables, 'shares'].map(async (table) => {
        const sql = `select 1 from ${table} where user_id = $1 and workspace_id = $2`
        return (await pool.query(sql, [person.id, workspace])).rows.length
      })
      return Promise.all(counts)
    }
    /** What the other node says of them now. */
    const may = async (asker: Person) => {
      const checks = [
        { ...office.kind, resource_id: direct.resource_id, action: 'edit' },
        { ...office.kind, resource_id: direct.resource_id, action: 'publish' },
        { ...office.kind, resource_id: grouped.resource_id, action: 'view' },
        { ...office.kind, resource_id: own.resource_id, action: 'view' },
      ]
      const { results } = answered(await elsewhere.call('Check', { checks }, office.as(asker)))
      return results.map(({ allowed }: { allowed: boolean }) => allowed)
    }
    t.deepEqual(await held(), [1, 1, 1, 1, 1])
    t.deepEqual(await may(person), [true, true, true, true])
    const place = { workspace_id: workspace, user_id: person.id }
    answered(await door.call('RemoveMember', place, { token: staff.admin.token }))
    t.deepEqual(await may(person), [false, false, false, false])
    t.deepEqual(await held(), [0, 0, 0, 0, 0])

    // Who comes back comes back with nothing but what is theirs.
    await seed.member(workspace, person.id, 'viewer')
    t.deepEqual(await may(person), [false, false, false, true])
  })
}
