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

type Action = { id: string; name: string; description: string; registered_at: string }

/** An fixture whose service registers actions. */
async function openHouse(transport: Transport) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { service: service_name, key } = fixture
  const register = (actions: object[], shown: object = { key }) =>
    transport.call('RegisterActions', { service_name, actions }, shown)
  return {
    ...{ ...fixture, register },
    registered: async (...actions: object[]) => {
      const { actions: all } = expectOk(await register(actions)) as { actions: Action[] }
      return all.map(({ name, description }) => [name, description])
    },
    /** As administrators see them. */
    list: async () => {
      const { services } = expectOk(await admin.call(transport, 'ListServiceActions'))
      const own = services.filter((service: any) => service.service_name === service_name)
      return own as { actions: Action[] }[]
    },
  }
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`registering actions answers all of the service's, and is idempotent ${over}`, async (t) => {
    const { register, service, list } = await openHouse(transport)
    const actions = [{ name: 'publish', description: 'Show it' }, { name: 'archive' }]
    const ending = await register(actions)
    if (ending.ok && transport.name === 'rest') t.is(ending.status, 200)
    const first = expectOk(ending)
    t.is(first.service_name, service)
    const [archive, publish] = first.actions as [Action, Action]
    t.like(archive, { name: 'archive', description: '' })
    t.like(publish, { name: 'publish', description: 'Show it' })
    t.true(Math.abs(Date.parse(publish.registered_at) - Date.now()) < 60_000)
    t.deepEqual(expectOk(await register(actions)), first)
    t.deepEqual(await list(), [first])
    // A backend service is no actor.
    const told = { target_type: 'service_action', actor_id: null, workspace_id: null }
    for (const { id, name } of [archive, publish]) {
      const detail = { service_name: service, name }
      t.deepEqual(await listActivity(pool, id), [
        { action: 'service_action.registered', ...told, detail },
      ])
    }
  })

  test(`a new description updates the action, none is removed ${over}`, async (t) => {
    const { registered, register, list } = await openHouse(transport)
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

  test(`view and edit are built in, a name stands there once: 422 with each place ${over}`, async (t) => {
    const { register, list } = await openHouse(transport)
    const names = ['publish', 'view', 'archive', 'edit', 'publish']
    const { code, violations } = expectError(await register(names.map((name) => ({ name }))))
    t.is(code, 'invalid_argument')
    t.deepEqual(violations, [
      { field: 'actions[1].name', message: 'is built in' },
      { field: 'actions[3].name', message: 'is built in' },
      { field: 'actions[4].name', message: 'is duplicated' },
    ])
    const many = Array.from({ length: 1001 }, (_, at) => ({ name: `a${at}` }))
    for (const wrong of [[], many]) {
      const fields = expectError(await register(wrong)).violations.map(({ field }) => field)
      t.deepEqual(fields, ['actions'])
    }
    const odd = [{ name: '' }, { name: 'a\u0000' }, { name: 'x', description: '\u0000' }]
    t.deepEqual(
      expectError(await register(odd)).violations.map(({ field }) => field),
      ['actions[0].name', 'actions[1].name', 'actions[2].description'],
    )
    t.deepEqual(await list(), [])
  })

  test(`a key registers and asks for its own service alone ${over}`, async (t) => {
    const house = await openHouse(transport)
    const stranger = await openHouse(transport)
    const { people, service } = house
    const forbidden = { code: 'permission_denied', reason: 'OTHER_SERVICE' } as const
    t.like(expectError(await house.register([{ name: 'x' }], { key: stranger.key })), forbidden)
    const asked = { service_name: service }
    const shown = { token: people.viewer.token, key: stranger.key }
    t.like(expectError(await transport.call('ListGrantedActions', asked, shown)), forbidden)
    t.deepEqual(await house.list(), [])
  })

  test(`granted are the actions of this service in one's roles, once each, by name ${over}`, async (t) => {
    const { service, people, workspace, as, key } = await openHouse(transport)
    const ids = await Promise.all(
      ['c', 'a', 'b', 'd'].map((name) => seed.serviceAction(service, name)),
    )
    const far = await seed.serviceAction(`s-${randomUUID()}`, 'far')
    const [c = '', a = '', b = ''] = ids
    await seed.customRole(workspace, [c, a, far], [people.viewer.id])
    await seed.customRole(workspace, [a, b], [people.viewer.id, people.editor.id])
    const granted = async (person: { token: string; id: string }) =>
      expectOk(await transport.call('ListGrantedActions', { service_name: service }, as(person)))
    t.deepEqual(await granted(people.viewer), { service_name: service, actions: ['a', 'b', 'c'] })
    t.deepEqual((await granted(people.editor)).actions, ['a', 'b'])
    // An owner may do them all by role, not by custom roles.
    t.deepEqual((await granted(people.owner)).actions, [])
    await pool.query('delete from members where user_id = $1', [people.viewer.id])
    const gone = await transport.call(
      'ListGrantedActions',
      { service_name: service },
      { token: people.viewer.token, key },
    )
    t.like(gone, { ok: false, code: 'permission_denied', reason: 'NOT_A_MEMBER' })
  })

  test(`20 registrations at once make each action once ${over}`, async (t) => {
    const { register, list } = await openHouse(transport)
    const names = Array.from({ length: 30 }, (_, at) => `a${at + 10}`)
    const endings = await Promise.all(
      Array.from({ length: 20 }, (_, at) => {
        const ordered = at % 2 ? names : names.toReversed()
        return register(ordered.map((name) => ({ name, description: `by ${at}` })))
      }),
    )
    t.true(endings.every(({ ok }) => ok))
    const [{ actions } = { actions: [] }] = await list()
    t.deepEqual(
      actions.map(({ name }) => name),
      names,
    )
  })
}

test.after('nothing of it was a fault of ours', (t) => t.deepEqual(environment.failures, []))
