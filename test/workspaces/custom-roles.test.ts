import { randomUUID } from 'node:crypto'
import test from 'ava'
import { listActivity } from '../support/activity.ts'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { pool, seed } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

/** A workspace with an administrator who manages custom roles in it. */
async function createFixture(transport: Transport) {
  const workspace_id = await seed.workspace()
  const call = (method: string, message: object = {}) => admin.call(transport, method, message)
  return {
    workspace_id,
    call,
    make: async (name = `r-${randomUUID()}`, more: object = {}) =>
      expectOk(await call('CreateRole', { workspace_id, name, ...more })),
    list: async () =>
      expectOk(await call('ListRoles', { workspace_id })).roles as Record<string, any>[],
  }
}

for (const transport of environment.transports) {
  const through = `over ${transport.label}`

  test(`creating a role returns 201 with the role and is recorded ${through}`, async (t) => {
    const { workspace_id, call, list } = await createFixture(transport)
    const request = { workspace_id, name: '  Publishers ', description: 'They publish.' }
    const outcome = await call('CreateRole', request)
    if (outcome.ok && transport.name === 'rest') t.is(outcome.status, 201)
    const { id, created_at, etag, ...rest } = expectOk(outcome)
    t.is(etag, undefined)
    t.deepEqual(rest, {
      workspace_id,
      name: 'Publishers',
      description: 'They publish.',
      action_count: 0,
      member_count: 0,
      group_count: 0,
    })
    t.true(Math.abs(Date.parse(created_at) - Date.now()) < 60_000)
    t.deepEqual(await list(), [outcome.ok && outcome.message])
    t.deepEqual(await listActivity(pool, id), [
      {
        action: 'role.created',
        target_type: 'role',
        actor_id: admin.id,
        workspace_id,
        detail: { name: 'Publishers' },
      },
    ])
  })

  test(`roles of a workspace are listed by name with their counts ${through}`, async (t) => {
    const { workspace_id, make, list, call } = await createFixture(transport)
    await (await createFixture(transport)).make('elsewhere')
    t.deepEqual(await list(), [])
    for (const name of ['c', 'a']) await make(name)
    const actions = await Promise.all(
      ['x', 'y', 'z'].map((name) => seed.serviceAction(`s-${randomUUID()}`, name)),
    )
    const people = [await seed.newMember(workspace_id), await seed.newMember(workspace_id)]
    const id = await seed.customRole(workspace_id, actions, people)
    expectOk(await call('UpdateRole', { role_id: id, name: 'b' }))
    t.deepEqual(
      (await list()).map(({ name, action_count, member_count }) => [
        name,
        action_count,
        member_count,
      ]),
      [
        ['a', 0, 0],
        ['b', 3, 2],
        ['c', 0, 0],
      ],
    )
    const unknownWorkspace = expectError(await call('ListRoles', { workspace_id: randomUUID() }))
    t.like(unknownWorkspace, { code: 'not_found', reason: 'WORKSPACE_NOT_FOUND' })
  })

  test(`name and description change independently; changes are recorded ${through}`, async (t) => {
    const { make, list, call } = await createFixture(transport)
    const { etag: _, ...created } = await make('Old', { description: 'old' })
    const change = async (more: object) => {
      const { etag, ...role } = expectOk(await call('UpdateRole', { role_id: created.id, ...more }))
      t.is(typeof etag, 'string')
      return role
    }
    t.deepEqual(await change({}), created)
    t.deepEqual(await change({ name: ' New ' }), { ...created, name: 'New' })
    t.deepEqual(await change({ description: '' }), { ...created, name: 'New', description: '' })
    const [listed] = await list()
    t.like(listed, { ...created, name: 'New', description: '' })
    t.deepEqual(
      (await listActivity(pool, created.id)).map(({ action, detail }) => [action, detail.name]),
      [
        ['role.created', 'Old'],
        ['role.updated', 'New'],
        ['role.updated', 'New'],
      ],
    )
  })

  test(`a duplicate role name returns 409, except in another workspace ${through}`, async (t) => {
    const { workspace_id, make, call } = await createFixture(transport)
    const other = await createFixture(transport)
    await make('Taken')
    await other.make('Taken')
    const { id } = await make('Free')
    const conflict = { code: 'already_exists', reason: 'ROLE_NAME_TAKEN' } as const
    t.like(expectError(await call('CreateRole', { workspace_id, name: ' Taken' })), conflict)
    t.like(expectError(await call('UpdateRole', { role_id: id, name: 'Taken' })), conflict)
    expectOk(await call('UpdateRole', { role_id: id, name: 'Free' }))
    t.is((await listActivity(pool, id)).length, 1, 'nothing was recorded')
  })

  test(`an unknown role or workspace returns 404, invalid fields return 422 ${through}`, async (t) => {
    const { workspace_id, call } = await createFixture(transport)
    const role_id = randomUUID()
    const member = { role_id, user_id: randomUUID() }
    const messages: [string, object][] = [
      ['UpdateRole', { role_id, name: 'x' }],
      ['DeleteRole', { role_id }],
      ['ListRoleActions', { role_id }],
      ['AddRoleActions', { role_id, service_action_ids: [randomUUID()] }],
      ['RemoveRoleAction', { role_id, service_action_id: randomUUID() }],
      ['ListRoleMembers', { role_id }],
      ['AddRoleMember', member],
      ['RemoveRoleMember', member],
    ]
    for (const [method, message] of messages) {
      const missing = { code: 'not_found', reason: 'ROLE_NOT_FOUND' } as const
      t.like(expectError(await call(method, message)), missing, method)
      const malformed = expectError(await call(method, { ...message, role_id: 'x' }))
      t.like(malformed, { code: 'invalid_argument' }, method)
      t.deepEqual(malformed.violations, [{ field: 'role_id', message: 'must be a UUID' }])
    }
    const unknownWorkspace = { workspace_id: randomUUID(), name: 'x' }
    t.like(expectError(await call('CreateRole', unknownWorkspace)), {
      code: 'not_found',
      reason: 'WORKSPACE_NOT_FOUND',
    })
    for (const name of ['', '  ', 'a\u0000b', 'x'.repeat(201)])
      t.is(expectError(await call('CreateRole', { workspace_id, name })).code, 'invalid_argument')
  })

  test(`deleting a role returns 204 and is recorded; a new role of the same name is empty ${through}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { workspace: workspace_id, people, service } = fixture
    const call = (method: string, message: object) => admin.call(transport, method, message)
    const action = await seed.serviceAction(service, 'publish')
    const record = await fixture.register(people.owner, { visibility: 'workspace' })
    const created = expectOk(await call('CreateRole', { workspace_id, name: 'Publishers' }))
    const role = { role_id: created.id }
    expectOk(await call('AddRoleActions', { ...role, service_action_ids: [action] }))
    expectOk(await call('AddRoleMember', { ...role, user_id: people.viewer.id }))
    t.true(await fixture.isAllowed(people.viewer, 'publish', record))

    const outcome = await call('DeleteRole', role)
    t.true(outcome.ok)
    if (outcome.ok && transport.name === 'rest') t.is(outcome.status, 204)
    t.false(await fixture.isAllowed(people.viewer, 'publish', record))
    t.is(expectError(await call('DeleteRole', role)).code, 'not_found')
    t.deepEqual((await listActivity(pool, created.id)).at(-1), {
      action: 'role.deleted',
      target_type: 'role',
      actor_id: admin.id,
      workspace_id,
      detail: { name: 'Publishers' },
    })

    const again = expectOk(await call('CreateRole', { workspace_id, name: 'Publishers' }))
    t.like(again, { action_count: 0, member_count: 0, group_count: 0 })
    t.deepEqual(expectOk(await call('ListRoleMembers', { role_id: again.id })).members, [])
    expectOk(await call('AddRoleActions', { role_id: again.id, service_action_ids: [action] }))
    t.false(await fixture.isAllowed(people.viewer, 'publish', record))
  })

  test(`of ten concurrent calls that create or delete the same role, one succeeds ${through}`, async (t) => {
    const { workspace_id, call, list } = await createFixture(transport)
    const ten = (method: string, message: object) =>
      Promise.all(Array.from({ length: 10 }, () => call(method, message)))
    const created = await ten('CreateRole', { workspace_id, name: 'Once' })
    t.is(created.filter(({ ok }) => ok).length, 1)
    for (const outcome of created) if (!outcome.ok) t.is(outcome.reason, 'ROLE_NAME_TAKEN')
    const [role] = await list()
    const deleted = await ten('DeleteRole', { role_id: role?.id })
    t.is(deleted.filter(({ ok }) => ok).length, 1)
    for (const outcome of deleted) if (!outcome.ok) t.is(outcome.reason, 'ROLE_NOT_FOUND')
    t.is((await listActivity(pool, role?.id)).length, 2)
  })
}

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
