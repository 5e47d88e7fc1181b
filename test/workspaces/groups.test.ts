import { randomUUID } from 'node:crypto'
import test from 'ava'
import { roles } from '../../src/core/roles.ts'
import { listActivity } from '../support/activity.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture, type Member } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { pool } = environment
test.after.always(() => environment.stop())

/** A fixture with functions that call the group methods. */
async function createFixture(transport: Transport) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const call = (method: string, by: Member, message: object = {}) =>
    transport.call(method, { workspace_id: fixture.workspace, ...message }, { token: by.token })
  return {
    ...fixture,
    call,
    make: async (name: string = `g-${randomUUID()}`, more: object = {}) =>
      expectOk(await call('CreateGroup', fixture.people.admin, { name, ...more })),
    list: async () =>
      expectOk(await call('ListGroups', fixture.people.viewer)).groups as Record<string, any>[],
  }
}

for (const transport of environment.transports) {
  const through = `over ${transport.label}`

  test(`creating a group returns 201 with the group and is recorded ${through}`, async (t) => {
    const { call, people, workspace, list } = await createFixture(transport)
    const request = { name: '  Writers\u00a0 ', description: 'They write.\n\tA lot.' }
    const outcome = await call('CreateGroup', people.admin, request)
    if (outcome.ok && transport.name === 'rest') t.is(outcome.status, 201)
    const { id, created_at, etag, ...rest } = expectOk(outcome)
    t.is(etag, undefined)
    const own = { workspace_id: workspace, created_by: people.admin.id }
    t.deepEqual(rest, { ...own, name: 'Writers', description: 'They write.\n\tA lot.' })
    t.true(Math.abs(Date.parse(created_at) - Date.now()) < 60_000)
    t.deepEqual(await list(), [outcome.ok && outcome.message])
    t.deepEqual(await listActivity(pool, id), [
      {
        action: 'group.created',
        target_type: 'group',
        actor_id: people.admin.id,
        workspace_id: workspace,
        detail: { name: 'Writers' },
      },
    ])
  })

  test(`all groups of a workspace are listed by name ${through}`, async (t) => {
    const fixture = await createFixture(transport)
    await (await createFixture(transport)).make('elsewhere')
    t.deepEqual(await fixture.list(), [])
    for (const name of ['c', 'a', 'b']) await fixture.make(name)
    await pool.query(
      `insert into groups (id, workspace_id, name)
       select gen_random_uuid(), $1, 'm' || to_char(n, 'FM000') from generate_series(1, 300) n`,
      [fixture.workspace],
    )
    const names = (await fixture.list()).map(({ name }) => name)
    t.is(names.length, 303)
    t.deepEqual(names, names.toSorted())
    t.like((await fixture.list())[3], {
      name: 'm001',
      description: '',
      workspace_id: fixture.workspace,
    })
  })

  test(`an update changes only the fields that are set ${through}`, async (t) => {
    const { make, call, people, workspace } = await createFixture(transport)
    const { id, etag: _, ...created } = await make('Writers', { description: 'They write' })
    const change = async (fields: object) => {
      const outcome = await call('UpdateGroup', people.admin, { group_id: id, ...fields })
      const { etag, ...group } = expectOk(outcome)
      t.is(typeof etag, 'string')
      return group
    }
    t.deepEqual(await change({}), { id, ...created })
    t.is((await listActivity(pool, id)).length, 1)
    t.deepEqual(await change({ name: ' Authors ' }), { id, ...created, name: 'Authors' })
    t.deepEqual(await change({ description: '' }), {
      id,
      ...created,
      name: 'Authors',
      description: '',
    })
    const [, entry] = await listActivity(pool, id)
    t.deepEqual(entry, {
      action: 'group.updated',
      target_type: 'group',
      actor_id: people.admin.id,
      workspace_id: workspace,
      detail: { name: 'Authors' },
    })
  })

  test(`a duplicate name returns 409 on create and update ${through}`, async (t) => {
    const { make, call, people, list } = await createFixture(transport)
    const other = await createFixture(transport)
    await make('Writers')
    const { id } = await make('Readers')
    const taken = { code: 'already_exists', reason: 'GROUP_NAME_TAKEN' } as const
    for (const name of ['Writers', ' Writers ']) {
      t.like(expectError(await call('CreateGroup', people.admin, { name })), taken)
      t.like(expectError(await call('UpdateGroup', people.admin, { group_id: id, name })), taken)
    }
    t.deepEqual(
      (await list()).map(({ name }) => name),
      ['Readers', 'Writers'],
    )
    t.is((await listActivity(pool, id)).length, 1)
    expectOk(await call('UpdateGroup', people.admin, { group_id: id, name: 'Readers' }))
    t.is((await other.make('Writers')).name, 'Writers')
  })

  test(`of twenty concurrent groups with the same name, one is created and the others return 409 ${through}`, async (t) => {
    const { call, people, list } = await createFixture(transport)
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => call('CreateGroup', people.admin, { name: 'one' })),
    )
    const kinds = outcomes.map((outcome) => (outcome.ok ? 'ok' : outcome.code)).toSorted()
    t.deepEqual(kinds, [...Array(19).fill('already_exists'), 'ok'])
    t.is((await list()).length, 1)
  })

  test(`names that are not 1 to 200 characters long or contain line breaks, and descriptions over 2,000 characters, return 422 ${through}`, async (t) => {
    const { make, call, people } = await createFixture(transport)
    const { id } = await make()
    const invalid = [
      { name: '' },
      { name: ' \t' },
      { name: 'a\u0000' },
      { name: 'a\nb' },
      { name: 'x'.repeat(201) },
      { name: 'x', description: 'x'.repeat(2001) },
      { name: 'x', description: '\u0007' },
    ]
    for (const fields of invalid) {
      for (const [method, more] of [
        ['CreateGroup', {}],
        ['UpdateGroup', { group_id: id }],
      ] as const) {
        const error = expectError(await call(method, people.admin, { ...more, ...fields }))
        t.is(error.code, 'invalid_argument', JSON.stringify(fields))
        t.deepEqual(
          error.violations.map(({ field }) => field),
          [Object.keys(fields).at(-1)],
        )
      }
    }
    const longest = { name: '𝕏'.repeat(200), description: '𝕏'.repeat(2000) }
    t.like(expectOk(await call('CreateGroup', people.admin, longest)), longest)
  })

  test(`each role can call exactly the methods that its rank allows ${through}`, async (t) => {
    const { make, call, people, addMember } = await createFixture(transport)
    const { id: group_id } = await make()
    const { id: user_id } = await addMember('viewer')
    const member = { group_id, user_id }
    const methods: [method: string, least: number, message: object][] = [
      ['CreateGroup', 2, { name: '' }],
      ['UpdateGroup', 2, { group_id, description: 'x' }],
      ['AddGroupMember', 2, member],
      ['RemoveGroupMember', 2, member],
      ['ListGroups', 0, {}],
      ['ListGroupMembers', 0, { group_id }],
    ]
    for (const [rank, role] of roles.entries()) {
      for (const [method, least, message] of methods) {
        const name = 'name' in message ? { name: `by ${role}` } : {}
        const outcome = await call(method, people[role], { ...message, ...name })
        if (rank >= least) t.true(outcome.ok, `${role} ${method}`)
        else t.like(expectError(outcome), { code: 'permission_denied', reason: 'ROLE_TOO_LOW' })
      }
      const deleted = await call('DeleteGroup', people[role], { group_id: (await make()).id })
      if (rank >= 2) t.true(deleted.ok)
      else t.like(expectError(deleted), { code: 'permission_denied', reason: 'ROLE_TOO_LOW' })
    }
  })

  test(`a group of another workspace returns 404, like one that does not exist ${through}`, async (t) => {
    const { call, people } = await createFixture(transport)
    const other = await createFixture(transport)
    const { id } = await other.make('Theirs')
    const methods = {
      UpdateGroup: { name: 'Ours' },
      DeleteGroup: {},
      ListGroupMembers: {},
      AddGroupMember: { user_id: people.viewer.id },
      RemoveGroupMember: { user_id: people.viewer.id },
    }
    for (const [method, more] of Object.entries(methods)) {
      const [foreignGroup, unknownGroup] = await Promise.all(
        [id, randomUUID()].map(async (group_id) =>
          expectError(await call(method, people.owner, { group_id, ...more })),
        ),
      )
      t.like(foreignGroup, {
        code: 'not_found',
        reason: 'GROUP_NOT_FOUND',
        detail: 'Group not found',
      })
      t.like(unknownGroup, {
        code: 'not_found',
        reason: 'GROUP_NOT_FOUND',
        detail: 'Group not found',
      })
    }
    t.deepEqual(
      (await other.list()).map(({ name }) => name),
      ['Theirs'],
    )
    t.is((await listActivity(pool, id)).length, 1)
  })

  test(`two concurrent calls delete a group once and record it once ${through}`, async (t) => {
    const { make, call, people } = await createFixture(transport)
    for (let round = 0; round < 10; round += 1) {
      const { id } = await make()
      const outcomes = await Promise.all(
        Array.from({ length: 4 }, () => call('DeleteGroup', people.admin, { group_id: id })),
      )
      const kinds = outcomes.map((outcome) => (outcome.ok ? 'ok' : outcome.code)).toSorted()
      t.deepEqual(kinds, ['not_found', 'not_found', 'not_found', 'ok'])
      const actions = (await listActivity(pool, id)).map(({ action }) => action)
      t.deepEqual(actions, ['group.created', 'group.deleted'])
    }
  })
}
