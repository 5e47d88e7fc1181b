import { randomUUID } from 'node:crypto'
import test from 'ava'
import { listActivity } from '../support/activity.ts'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk, failedCalls } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture, type Member } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const other = await environment.addNode()
const { pool, seed } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

/** A fixture with a service action, a custom role and a document visible to the workspace. */
async function createFixture(transport: Transport) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { workspace, service, people, kind } = fixture
  const otherTransport = other.transports.find(({ name }) => name === transport.name) ?? transport
  const call = (method: string, message: object = {}) => admin.call(transport, method, message)
  const action = await seed.serviceAction(service, 'publish')
  const created = await call('CreateRole', { workspace_id: workspace, name: 'Publishers' })
  const role = { role_id: expectOk(created).id as string }
  const open = await fixture.register(people.owner, { visibility: 'workspace' })
  const closed = await fixture.register(people.owner)
  const actionQuery = { ...kind, action: 'publish' }
  return {
    ...fixture,
    call,
    action,
    role,
    open,
    closed,
    add: (user_id: string) => call('AddRoleMember', { ...role, user_id }),
    remove: (user_id: string) => call('RemoveRoleMember', { ...role, user_id }),
    allow: (...service_action_ids: string[]) =>
      call('AddRoleActions', { ...role, service_action_ids }),
    disallow: (service_action_id: string) =>
      call('RemoveRoleAction', { ...role, service_action_id }),
    members: async () =>
      expectOk(await call('ListRoleMembers', role)).members as Record<string, any>[],
    /** Whether a user may publish according to another node, by check, list and granted actions. */
    publishes: async (person: Member) => {
      const credentials = fixture.as(person)
      const checks = [open, closed].map(({ resource_id }) => ({ ...actionQuery, resource_id }))
      const { results } = expectOk(await otherTransport.call('Check', { checks }, credentials))
      const list = { ...actionQuery, workspace_id: workspace }
      const { resource_ids } = expectOk(await otherTransport.call('Accessible', list, credentials))
      const granted = { service_name: service }
      const { actions } = expectOk(
        await otherTransport.call('ListGrantedActions', granted, credentials),
      )
      const checked = results.filter(({ allowed }: any) => allowed)
      const same = checked.map(({ resource_id }: any) => resource_id).toSorted()
      if (same.join() !== resource_ids.join()) throw new Error('Check and Accessible disagree')
      return { documents: resource_ids as string[], actions: actions as string[] }
    },
  }
}

const nothing = { documents: [], actions: [] }

for (const transport of environment.transports) {
  const through = `over ${transport.label}`

  test(`assigning a role returns 201, is idempotent and is recorded once ${through}`, async (t) => {
    const { add, people, role, members, workspace } = await createFixture(transport)
    const { id } = people.editor
    for (const spelled of [id.toUpperCase(), id]) {
      const outcome = await add(spelled)
      t.deepEqual(expectOk(outcome), { status: 'ok' })
      if (outcome.ok && transport.name === 'rest') t.is(outcome.status, 201)
    }
    const [{ added_at, ...member } = {}, ...others] = await members()
    t.deepEqual(others, [])
    t.deepEqual(member, {
      user_id: id,
      role_id: role.role_id,
      email: `editor-${id}@example.com`,
      name: 'editor',
      avatar_url: '',
    })
    t.true(Math.abs(Date.parse(added_at) - Date.now()) < 60_000)
    const [, ...entries] = await listActivity(pool, role.role_id)
    t.deepEqual(entries, [
      {
        action: 'role.member_added',
        target_type: 'role',
        actor_id: admin.id,
        workspace_id: workspace,
        detail: { name: 'Publishers', user_id: id },
      },
    ])
  })

  test(`assigning a role to a user who is not a member of its workspace returns 404 ${through}`, async (t) => {
    const { add, remove, members, role } = await createFixture(transport)
    const otherFixture = await createFixture(transport)
    for (const id of [otherFixture.people.viewer.id, admin.id, randomUUID()]) {
      const missing = { code: 'not_found', reason: 'MEMBER_NOT_FOUND' } as const
      t.like(expectError(await add(id)), missing)
      t.like(expectError(await remove(id)), missing)
    }
    t.is(expectError(await add('everybody')).code, 'invalid_argument')
    t.deepEqual(await members(), [])
    t.is((await listActivity(pool, role.role_id)).length, 1)
  })

  test(`removing a role from a member returns 204 and is recorded; repeating it returns 404 ${through}`, async (t) => {
    const { add, remove, members, people, role, workspace } = await createFixture(transport)
    const { id } = people.viewer
    expectOk(await add(id))
    const outcome = await remove(id.toUpperCase())
    t.true(outcome.ok)
    if (outcome.ok && transport.name === 'rest') t.is(outcome.status, 204)
    t.deepEqual(await members(), [])
    t.is(expectError(await remove(id)).reason, 'MEMBER_NOT_FOUND')
    t.deepEqual((await listActivity(pool, role.role_id)).at(-1), {
      action: 'role.member_removed',
      target_type: 'role',
      actor_id: admin.id,
      workspace_id: workspace,
      detail: { name: 'Publishers', user_id: id },
    })
  })

  test(`adding actions is atomic and idempotent; each one is recorded ${through}`, async (t) => {
    const { allow, disallow, call, role, action, service, workspace } =
      await createFixture(transport)
    // A role can contain actions of any service.
    const otherService = `z-${randomUUID()}`
    const farAction = await seed.serviceAction(otherService, 'archive')
    const listed = async () =>
      expectOk(await call('ListRoleActions', role)).actions.map(
        ({ id, service_name, name, description, registered_at }: any) => {
          t.true(Math.abs(Date.parse(registered_at) - Date.now()) < 60_000)
          return { id, service_name, name, description }
        },
      )
    const unknown = expectError(await allow(action, randomUUID()))
    t.like(unknown, { code: 'not_found', reason: 'SERVICE_ACTION_NOT_FOUND' })
    t.deepEqual(await listed(), [])
    for (const ids of [[action], [farAction, action.toUpperCase(), action]]) {
      const outcome = await allow(...ids)
      t.deepEqual(expectOk(outcome), { status: 'ok' })
      if (outcome.ok && transport.name === 'rest') t.is(outcome.status, 201)
    }
    const own = { id: action, service_name: service, name: 'publish', description: '' }
    const foreignAction = {
      id: farAction,
      service_name: otherService,
      name: 'archive',
      description: '',
    }
    t.deepEqual(await listed(), [own, foreignAction])
    t.true((await disallow(action)).ok)
    t.is(expectError(await disallow(action)).reason, 'SERVICE_ACTION_NOT_FOUND')
    t.deepEqual(await listed(), [foreignAction])
    const [, ...entries] = await listActivity(pool, role.role_id)
    const common = { target_type: 'role', actor_id: admin.id, workspace_id: workspace }
    const publish = { name: 'Publishers', service_name: service, action: 'publish' }
    t.deepEqual(entries, [
      { action: 'role.action_added', ...common, detail: publish },
      {
        action: 'role.action_added',
        ...common,
        detail: { name: 'Publishers', service_name: otherService, action: 'archive' },
      },
      { action: 'role.action_removed', ...common, detail: publish },
    ])
  })

  test(`an empty list, too many actions or an invalid UUID returns 422 with its field ${through}`, async (t) => {
    const { allow, action } = await createFixture(transport)
    const places = async (...ids: string[]) =>
      expectError(await allow(...ids)).violations.map(({ field }) => field)
    t.deepEqual(await places(), ['service_action_ids'])
    t.deepEqual(await places(action, 'publish'), ['service_action_ids[1]'])
    t.deepEqual(await places(...Array(1001).fill(action)), ['service_action_ids'])
  })

  test(`a role grants its actions on visible resources, at once on every node ${through}`, async (t) => {
    const fixture = await createFixture(transport)
    const { add, remove, allow, disallow, publishes, action, open, people, call, role } = fixture
    const { viewer } = people
    const all = { documents: [open.resource_id], actions: ['publish'] }
    t.deepEqual(await publishes(viewer), nothing)
    expectOk(await allow(action))
    t.deepEqual(await publishes(viewer), nothing)
    for (let round = 0; round < 10; round += 1) {
      expectOk(await add(viewer.id))
      t.deepEqual(await publishes(viewer), all)
      expectOk(await remove(viewer.id))
      t.deepEqual(await publishes(viewer), nothing)
    }
    expectOk(await add(viewer.id))
    for (let round = 0; round < 10; round += 1) {
      t.deepEqual(await publishes(viewer), all)
      expectOk(await disallow(action))
      t.deepEqual(await publishes(viewer), nothing)
      expectOk(await allow(action))
    }
    await fixture.share(people.owner, fixture.closed, { user: viewer.id }, 'view')
    const both = [open.resource_id, fixture.closed.resource_id].toSorted()
    t.deepEqual(await publishes(viewer), { documents: both, actions: ['publish'] })
    t.deepEqual(await publishes(people.editor), nothing)
    expectOk(await call('DeleteRole', role))
    t.deepEqual(await publishes(viewer), nothing)
  })

  test(`a member who leaves loses the custom roles and does not regain them on return ${through}`, async (t) => {
    const { add, allow, action, members, publishes, people, workspace } =
      await createFixture(transport)
    const { viewer, owner } = people
    expectOk(await allow(action))
    expectOk(await add(viewer.id))
    const membership = { workspace_id: workspace, user_id: viewer.id }
    expectOk(await transport.call('RemoveMember', membership, { token: owner.token }))
    t.deepEqual(await members(), [])
    await seed.member(workspace, viewer.id, 'viewer')
    t.deepEqual(await publishes(viewer), nothing)
  })

  test(`a role grants nothing in another workspace of the same user ${through}`, async (t) => {
    const here = await createFixture(transport)
    const { viewer } = here.people
    expectOk(await here.allow(here.action))
    expectOk(await here.add(viewer.id))
    const there = await seed.workspace()
    await seed.member(there, viewer.id, 'viewer')
    const credentials = { token: await environment.token(viewer.id, there), key: here.key }
    const granted = { service_name: here.service }
    t.deepEqual(
      expectOk(await transport.call('ListGrantedActions', granted, credentials)).actions,
      [],
    )
    const otherRecord = await here.register(viewer, {
      workspace_id: there,
      visibility: 'workspace',
    })
    const owned = { ...here.kind, resource_id: otherRecord.resource_id, action: 'publish' }
    t.true(
      expectOk(await transport.call('Check', { checks: [owned] }, credentials)).results[0].allowed,
    )
    const foreignOwner = await seed.newMember(there, 'owner')
    const token = await environment.token(foreignOwner, there)
    const open = await here.register({ id: foreignOwner, token }, { workspace_id: there })
    expectOk(
      await transport.call(
        'UpdateVisibility',
        { permission_id: open.id, visibility: 'workspace' },
        { key: here.key },
      ),
    )
    const check = { ...here.kind, resource_id: open.resource_id, action: 'publish' }
    t.false(
      expectOk(await transport.call('Check', { checks: [check] }, credentials)).results[0].allowed,
    )
  })

  test(`100 concurrent assignments all succeed and are recorded once each ${through}`, async (t) => {
    const { add, remove, members, role, workspace } = await createFixture(transport)
    const people = await Promise.all(Array.from({ length: 50 }, () => seed.newMember(workspace)))
    // Assigns the role to each user twice.
    const outcomes = await Promise.all([...people, ...people].map(add))
    t.deepEqual(failedCalls(outcomes), [])
    const listed = (await members()).map(({ user_id }) => user_id)
    t.deepEqual(listed, people.toSorted())
    t.is((await listActivity(pool, role.role_id)).length, 51)
    const removed = await Promise.all([...people, ...people].map(remove))
    t.is(removed.filter(({ ok }) => ok).length, 50)
    t.deepEqual(await members(), [])
    t.is((await listActivity(pool, role.role_id)).length, 101)
  })
}

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
