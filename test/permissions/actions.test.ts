import { randomUUID } from 'node:crypto'
import test from 'ava'
import { listActivity } from '../support/activity.ts'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk, failedCalls } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { repeatLockTimeouts, type Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { pool, seed } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

type Action = { id: string; name: string; description: string; registered_at: string }

/** Creates a fixture with functions that register and list the actions of its service. */
async function createActionsFixture(transport: Transport) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { service: service_name, key } = fixture
  const register = (actions: object[], credentials: object = { key }) =>
    transport.call('RegisterActions', { service_name, actions }, credentials)
  return {
    ...fixture,
    register,
    registered: async (...actions: object[]) => {
      const { actions: all } = expectOk(await register(actions)) as { actions: Action[] }
      return all.map(({ name, description }) => [name, description])
    },
    /** Lists the actions of the service with AdminService. */
    list: async () => {
      const { services } = expectOk(await admin.call(transport, 'ListServiceActions'))
      const own = services.filter((service: any) => service.service_name === service_name)
      return own as { actions: Action[] }[]
    },
  }
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`registering actions returns all actions of the service and is idempotent ${over}`, async (t) => {
    const { register, service, list } = await createActionsFixture(transport)
    const actions = [{ name: 'publish', description: 'Show it' }, { name: 'archive' }]
    const outcome = await register(actions)
    if (outcome.ok && transport.name === 'rest') t.is(outcome.status, 200)
    const first = expectOk(outcome)
    t.is(first.service_name, service)
    const [archive, publish] = first.actions as [Action, Action]
    t.like(archive, { name: 'archive', description: '' })
    t.like(publish, { name: 'publish', description: 'Show it' })
    t.true(Math.abs(Date.parse(publish.registered_at) - Date.now()) < 60_000)
    t.deepEqual(expectOk(await register(actions)), first)
    t.deepEqual(await list(), [first])
    // Events that a service causes have no actor.
    const common = { target_type: 'service_action', actor_id: null, workspace_id: null }
    for (const { id, name } of [archive, publish]) {
      const detail = { service_name: service, name }
      t.deepEqual(await listActivity(pool, id), [
        { action: 'service_action.registered', ...common, detail },
      ])
    }
  })

  test(`registering again updates descriptions and does not remove actions ${over}`, async (t) => {
    const { registered, register, list } = await createActionsFixture(transport)
    await registered({ name: 'publish', description: 'old' }, { name: 'archive' })
    const [before] = await list()
    t.deepEqual(await registered({ name: 'publish', description: 'new' }), [
      ['archive', ''],
      ['publish', 'new'],
    ])
    t.deepEqual(await registered({ name: 'publish' }), [
      ['archive', ''],
      ['publish', ''],
    ])
    const [after] = await list()
    const ids = (service?: { actions: Action[] }) =>
      service?.actions.map(({ id, registered_at }) => [id, registered_at])
    t.deepEqual(ids(after), ids(before))
    const publish = after?.actions[1]?.id ?? ''
    t.deepEqual(
      (await listActivity(pool, publish)).map(({ action }) => action),
      ['service_action.registered', 'service_action.updated', 'service_action.updated'],
    )
    t.true((await register([{ name: 'Publish' }])).ok, 'names differ by case')
  })

  test(`built-in and duplicate names are rejected with 422, which lists every position ${over}`, async (t) => {
    const { register, list } = await createActionsFixture(transport)
    const names = ['publish', 'view', 'archive', 'edit', 'publish', 'manage']
    const { code, violations } = expectError(await register(names.map((name) => ({ name }))))
    t.is(code, 'invalid_argument')
    t.deepEqual(violations, [
      { field: 'actions[1].name', message: 'is built in' },
      { field: 'actions[3].name', message: 'is built in' },
      { field: 'actions[4].name', message: 'is duplicated' },
      { field: 'actions[5].name', message: 'is built in' },
    ])
    const many = Array.from({ length: 1001 }, (_, index) => ({ name: `a${index}` }))
    for (const invalid of [[], many]) {
      const fields = expectError(await register(invalid)).violations.map(({ field }) => field)
      t.deepEqual(fields, ['actions'])
    }
    const invalidActions = [{ name: '' }, { name: 'a\u0000' }, { name: 'x', description: '\u0000' }]
    t.deepEqual(
      expectError(await register(invalidActions)).violations.map(({ field }) => field),
      ['actions[0].name', 'actions[1].name', 'actions[2].description'],
    )
    t.deepEqual(await list(), [])
  })

  test(`a service key can access only the actions of its own service ${over}`, async (t) => {
    const fixture = await createActionsFixture(transport)
    const otherFixture = await createActionsFixture(transport)
    const { people, service } = fixture
    const forbidden = { code: 'permission_denied', reason: 'OTHER_SERVICE' } as const
    t.like(
      expectError(await fixture.register([{ name: 'x' }], { key: otherFixture.key })),
      forbidden,
    )
    const request = { service_name: service }
    const credentials = { token: people.viewer.token, key: otherFixture.key }
    t.like(expectError(await transport.call('ListGrantedActions', request, credentials)), forbidden)
    t.deepEqual(await fixture.list(), [])
  })

  test(`granted actions come from the caller's custom roles for the service, sorted and without duplicates ${over}`, async (t) => {
    const { service, people, workspace, as, key } = await createActionsFixture(transport)
    const ids = await Promise.all(
      ['c', 'a', 'b', 'd'].map((name) => seed.serviceAction(service, name)),
    )
    const otherAction = await seed.serviceAction(`s-${randomUUID()}`, 'far')
    const [c = '', a = '', b = ''] = ids
    await seed.customRole(workspace, [c, a, otherAction], [people.viewer.id])
    await seed.customRole(workspace, [a, b], [people.viewer.id, people.editor.id])
    const granted = async (person: { token: string; id: string }) =>
      expectOk(await transport.call('ListGrantedActions', { service_name: service }, as(person)))
    t.deepEqual(await granted(people.viewer), { service_name: service, actions: ['a', 'b', 'c'] })
    t.deepEqual((await granted(people.editor)).actions, ['a', 'b'])
    // The role of an owner allows all actions, but the owner has no custom role.
    t.deepEqual((await granted(people.owner)).actions, [])
    await pool.query('delete from members where user_id = $1', [people.viewer.id])
    const gone = await transport.call(
      'ListGrantedActions',
      { service_name: service },
      { token: people.viewer.token, key },
    )
    t.like(gone, { ok: false, code: 'unauthenticated', reason: 'TOKEN_REVOKED' })
  })

  test(`20 concurrent registrations create each action once ${over}`, async (t) => {
    const { register, list } = await createActionsFixture(repeatLockTimeouts(transport))
    const names = Array.from({ length: 30 }, (_, index) => `a${index + 10}`)
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) => {
        const ordered = index % 2 ? names : names.toReversed()
        return register(ordered.map((name) => ({ name, description: `by ${index}` })))
      }),
    )
    t.deepEqual(failedCalls(outcomes), [])
    const [{ actions } = { actions: [] }] = await list()
    t.deepEqual(
      actions.map(({ name }) => name),
      names,
    )
  })
}

test.after('no call causes a server error', (t) =>
  t.deepEqual(
    environment.failures.filter(({ reason }) => reason !== 'LOCK_TIMEOUT'),
    [],
  ),
)
