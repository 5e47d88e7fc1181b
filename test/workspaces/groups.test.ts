import { randomUUID } from 'node:crypto'
import test from 'ava'
import { roles } from '../../src/workspaces/roles.ts'
import { activityOf } from '../support/activity.ts'
import type { Door } from '../support/doors.ts'
import { answered, refused } from '../support/ending.ts'
import { openOffice, type Person } from '../support/office.ts'
import { startWorld } from '../support/world.ts'

const world = await startWorld()
const { pool } = world
test.after.always(() => world.stop())

/** An office whose people have groups. */
async function openHouse(door: Door) {
  const office = await openOffice(world, door)
  const call = (method: string, by: Person, message: object = {}) =>
    door.call(method, { workspace_id: office.workspace, ...message }, { token: by.token })
  return {
    ...{ ...office, call },
    make: async (name: string = `g-${randomUUID()}`, more: object = {}) =>
      answered(await call('CreateGroup', office.staff.admin, { name, ...more })),
    list: async () =>
      answered(await call('ListGroups', office.staff.viewer)).groups as Record<string, any>[],
  }
}

for (const door of world.doors) {
  const through = `through ${door.name}`

  test(`an admin makes a group: 201 with the group, recorded ${through}`, async (t) => {
    const { call, staff, workspace, list } = await openHouse(door)
    const request = { name: '  Writers\u00a0 ', description: 'They write.\n\tA lot.' }
    const ending = await call('CreateGroup', staff.admin, request)
    if (ending.ok && door.name === 'rest') t.is(ending.status, 201)
    const { id, created_at, ...rest } = answered(ending)
    const own = { workspace_id: workspace, created_by: staff.admin.id }
    t.deepEqual(rest, { ...own, name: 'Writers', description: 'They write.\n\tA lot.' })
    t.true(Math.abs(Date.parse(created_at) - Date.now()) < 60_000)
    t.deepEqual(await list(), [ending.ok && ending.message])
    t.deepEqual(await activityOf(pool, id), [
      {
        action: 'group.created',
        target_type: 'group',
        actor_id: staff.admin.id,
        workspace_id: workspace,
        detail: { name: 'Writers' },
      },
    ])
  })

  test(`groups are listed by name, all of them and of this workspace alone ${through}`, async (t) => {
    const house = await openHouse(door)
    await (await openHouse(door)).make('elsewhere')
    t.deepEqual(await house.list(), [])
    for (const name of ['c', 'a', 'b']) await house.make(name)
    await pool.query(
      `insert into groups (id, workspace_id, name)
       select gen_random_uuid(), $1, 'm' || to_char(n, 'FM000') from generate_series(1, 300) n`,
      [house.workspace],
    )
    const names = (await house.list()).map(({ name }) => name)
    t.is(names.length, 303)
    t.deepEqual(names, names.toSorted())
    t.like((await house.list())[3], {
      name: 'm001',
      description: '',
      workspace_id: house.workspace,
    })
  })

  test(`an update changes what is given, and nothing where nothing is ${through}`, async (t) => {
    const { make, call, staff, workspace } = await openHouse(door)
    const { id, ...made } = await make('Writers', { description: 'They write' })
    const change = async (fields: object) => {
      const ending = await call('UpdateGroup', staff.admin, { group_id: id, ...fields })
      return answered(ending)
    }
    t.deepEqual(await change({}), { id, ...made })
    t.is((await activityOf(pool, id)).length, 1)
    t.deepEqual(await change({ name: ' Authors ' }), { id, ...made, name: 'Authors' })
    t.deepEqual(await change({ description: '' }), {
      ...{ id, ...made },
      ...{ name: 'Authors', description: '' },
    })
    const [, entry] = await activityOf(pool, id)
    t.deepEqual(entry, {
      action: 'group.updated',
      target_type: 'group',
      actor_id: staff.admin.id,
      workspace_id: workspace,
      detail: { name: 'Authors' },
    })
  })

  test(`a name is taken once in a workspace: 409, also by update ${through}`, async (t) => {
    const { make, call, staff, list } = await openHouse(door)
    const other = await openHouse(door)
    await make('Writers')
    const { id } = await make('Readers')
    const taken = { kind: 'conflict', reason: 'GROUP_NAME_TAKEN' } as const
    for (const name of ['Writers', ' Writers ']) {
      t.like(refused(await call('CreateGroup', staff.admin, { name })), taken)
      t.like(refused(await call('UpdateGroup', staff.admin, { group_id: id, name })), taken)
    }
    t.deepEqual(
      (await list()).map(({ name }) => name),
      ['Readers', 'Writers'],
    )
    t.is((await activityOf(pool, id)).length, 1)
    answered(await call('UpdateGroup', staff.admin, { group_id: id, name: 'Readers' }))
    t.is((await other.make('Writers')).name, 'Writers')
  })

  test(`twenty groups of one name at once: one is made, the others are 409 ${through}`, async (t) => {
    const { call, staff, list } = await openHouse(door)
    const endings = await Promise.all(
      Array.from({ length: 20 }, () => call('CreateGroup', staff.admin, { name: 'one' })),
    )
    const kinds = endings.map((ending) => (ending.ok ? 'ok' : ending.kind)).toSorted()
    t.deepEqual(kinds, [...Array(19).fill('conflict'), 'ok'])
    t.is((await list()).length, 1)
  })

  test(`a name is one line of 1 to 200 characters, a description 2,000: else 422 ${through}`, async (t) => {
    const { make, call, staff } = await openHouse(door)
    const { id } = await make()
    const wrong = [
      ...[{ name: '' }, { name: ' \t' }, { name: 'a\u0000' }, { name: 'a\nb' }],
      ...[{ name: 'x'.repeat(201) }, { name: 'x', description: 'x'.repeat(2001) }],
      { name: 'x', description: '\u0007' },
    ]
    for (const fields of wrong) {
      for (const [method, more] of [
        ['CreateGroup', {}],
        ['UpdateGroup', { group_id: id }],
      ] as const) {
        const fault = refused(await call(method, staff.admin, { ...more, ...fields }))
        t.is(fault.kind, 'invalid', JSON.stringify(fields))
        t.deepEqual(
          fault.problems.map(({ field }) => field),
          [Object.keys(fields).at(-1)],
        )
      }
    }
    const longest = { name: '𝕏'.repeat(200), description: '𝕏'.repeat(2000) }
    t.like(answered(await call('CreateGroup', staff.admin, longest)), longest)
  })

  test(`each role may what the specification says ${through}`, async (t) => {
    const { make, call, staff, hire } = await openHouse(door)
    const { id: group_id } = await make()
    const { id: user_id } = await hire('viewer')
    const member = { group_id, user_id }
    const methods: [method: string, least: number, message: object][] = [
      ['CreateGroup', 2, { name: '' }],
      ['UpdateGroup', 2, { group_id, description: 'x' }],
      ['AddGroupMember', 2, member],
      ['RemoveGroupMember', 2, member],
      ['ListGroups', 0, {}],
      ['ListGroupMembers', 0, { group_id }],
    ]
    for (const [at, role] of roles.entries()) {
      for (const [method, least, message] of methods) {
        const name = 'name' in message ? { name: `by ${role}` } : {}
        const ending = await call(method, staff[role], { ...message, ...name })
        if (at >= least) t.true(ending.ok, `${role} ${method}`)
        else t.like(refused(ending), { kind: 'forbidden', reason: 'ROLE_TOO_LOW' })
      }
      const deleted = await call('DeleteGroup', staff[role], { group_id: (await make()).id })
      if (at >= 2) t.true(deleted.ok)
      else t.like(refused(deleted), { kind: 'forbidden', reason: 'ROLE_TOO_LOW' })
    }
  })

  test(`a group of another workspace is 404 like one that is nowhere ${through}`, async (t) => {
    const { call, staff } = await openHouse(door)
    const other = await openHouse(door)
    const { id } = await other.make('Theirs')
    const methods = {
      UpdateGroup: { name: 'Ours' },
      DeleteGroup: {},
      ListGroupMembers: {},
      AddGroupMember: { user_id: staff.viewer.id },
      RemoveGroupMember: { user_id: staff.viewer.id },
    }
    for (const [method, more] of Object.entries(methods)) {
      const [theirs, nowhere] = await Promise.all(
        [id, randomUUID()].map(async (group_id) =>
          refused(await call(method, staff.owner, { group_id, ...more })),
        ),
      )
      t.like(theirs, { kind: 'missing', reason: 'GROUP_NOT_FOUND', detail: 'Group not found' })
      t.like(nowhere, { kind: 'missing', reason: 'GROUP_NOT_FOUND', detail: 'Group not found' })
    }
    t.deepEqual(
      (await other.list()).map(({ name }) => name),
      ['Theirs'],
    )
    t.is((await activityOf(pool, id)).length, 1)
  })

  test(`a group deleted by two at once is deleted and recorded once ${through}`, async (t) => {
    const { make, call, staff } = await openHouse(door)
    for (let round = 0; round < 10; round += 1) {
      const { id } = await make()
      const endings = await Promise.all(
        Array.from({ length: 4 }, () => call('DeleteGroup', staff.admin, { group_id: id })),
      )
      const kinds = endings.map((ending) => (ending.ok ? 'ok' : ending.kind)).toSorted()
      t.deepEqual(kinds, ['missing', 'missing', 'missing', 'ok'])
      const actions = (await activityOf(pool, id)).map(({ action }) => action)
      t.deepEqual(actions, ['group.created', 'group.deleted'])
    }
  })
}
