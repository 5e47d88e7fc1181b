// Threat: what has ended a delegation is undone, and the delegation lives again.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { recordEnds } from '../../src/delegations/record-ends.ts'
import { createStores } from '../../src/server/stores.ts'
import { createAdmin } from '../support/admin.ts'
import { insertDelegation } from '../support/delegation-rows.ts'
import { createDelegationEnvironment, createDelegationScene } from '../support/delegations.ts'
import { waitUntilBlocked } from '../support/lock-waits.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { seedServiceAccount } from '../support/request-fixture.ts'

const environment = await createDelegationEnvironment({ MAX_DELEGATIONS_PER_USER: 2 })
const { pool, seed, app, database } = environment
const admin = await createAdmin(environment)
const other = await environment.addNode()
test.after.always(() => environment.stop())

const stores = () => createStores(database.fork())
const storesOfOther = () => createStores(other.database.fork())

const eventsOf = async (id: string) => {
  const { rows } = await pool.query(
    `select action, actor_id, workspace_id from activity
     where target_id = $1 and action like 'delegation.%' order by id`,
    [id],
  )
  return rows
}
const actionsOf = async (id: string) => (await eventsOf(id)).map(({ action }) => action)

for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  const administer = async (method: string, message: object) =>
    transport.call(`AdminService/${method}`, message, { admin: admin.token })

  test.serial(
    `what a delegation depends on ends it, and coming back revives nothing ${over}`,
    async (t) => {
      const scene = await createDelegationScene(environment, transport)
      const { workspace, person, people, delegate, list, appId, service } = scene
      const sql = (text: string, ...values: unknown[]) => pool.query(text, values)
      const client = await seed.clientApp([], { type: 'confidential' })
      const account = () => seedServiceAccount(environment, workspace)
      const activate = (id: string, is: boolean) =>
        sql('update users set is_active = $2 where id = $1', id, is)
      type Ways = Record<
        string,
        { end: (agent: string) => unknown; undo: (agent: string) => unknown }
      >
      const ways: Ways = {
        'its agent is deactivated': {
          end: (agent) => activate(agent, false),
          undo: (agent) => activate(agent, true),
        },
        'its person is deactivated': {
          end: () => activate(person.id, false),
          undo: () => activate(person.id, true),
        },
        'the membership ends by time': {
          end: (agent) =>
            sql(
              `update members set expires_at = now() - interval '1 second' where user_id = $1`,
              agent,
            ),
          undo: (agent) => sql('update members set expires_at = null where user_id = $1', agent),
        },
        'the person leaves': {
          end: () => sql('delete from members where user_id = $1', person.id),
          async undo() {
            await seed.member(workspace, person.id, 'editor')
            scene.forgetTokens()
          },
        },
        'the service app is deleted': {
          end: () => sql('delete from service_apps where id = $1', appId),
          undo: () => seed.serviceApp(service),
        },
      }
      for (const [name, { end, undo }] of Object.entries(ways)) {
        const agent = await account()
        const { id } = await delegate({ agent: { type: 'service_account', id: agent } })
        t.deepEqual(await list(), [id], name)
        await end(agent)
        await undo(agent)
        t.deepEqual(await list(), [], name)
        await recordEnds(stores())
        t.deepEqual(await actionsOf(id), ['delegation.created', 'delegation.ended'], name)
      }
      const { id } = await delegate({ agent: { type: 'client', id: client } })
      await sql(
        'update client_apps set workspace_id = $2 where id = $1',
        client,
        await seed.workspace(),
      )
      await sql('update client_apps set workspace_id = null where id = $1', client)
      t.deepEqual(await list(), [])
      await recordEnds(stores())
      const [, ended] = await eventsOf(id)
      t.deepEqual(ended, { action: 'delegation.ended', actor_id: null, workspace_id: workspace })
      t.is(people.editor, person)
    },
  )

  test.serial(`deleting an agent or the workspace ends its delegations ${over}`, async (t) => {
    const { workspace, people, agent, delegate, list, call } = await createDelegationScene(
      environment,
      transport,
    )
    const first = await delegate()
    const message = { workspace_id: workspace, service_account_id: agent.id }
    expectOk(await call('DeleteServiceAccount', message, people.owner))
    t.deepEqual(await list(), [])
    const next = { type: 'service_account', id: await seedServiceAccount(environment, workspace) }
    const second = await delegate({ agent: next })
    expectOk(await call('DeleteWorkspace', { workspace_id: workspace }, people.owner))
    await recordEnds(stores())
    for (const { id } of [first, second])
      t.deepEqual(await actionsOf(id), ['delegation.created', 'delegation.ended'])
  })

  test.serial(`an end is recorded once, whichever node does ${over}`, async (t) => {
    const { workspace, person, service, delegate, agent, list } = await createDelegationScene(
      environment,
      transport,
    )
    const row = { user_id: person.id, workspace_id: workspace, service_name: service }
    const second = new Date(Date.now() - 1000)
    const expired = await Promise.all(
      Array.from({ length: 40 }, () => insertDelegation(pool, { ...row, expires_at: second })),
    )
    const { id: ended } = await delegate()
    t.deepEqual(await list(), [ended])
    await pool.query('update users set is_active = false where id = $1', [agent.id])
    const counts = await Promise.all(
      [stores, storesOfOther, stores, storesOfOther].map((open) => recordEnds(open())),
    )
    t.is(
      counts.reduce((sum, count) => sum + count, 0),
      41,
    )
    for (const id of expired) t.deepEqual(await actionsOf(id), ['delegation.expired'])
    t.deepEqual(await actionsOf(ended), ['delegation.created', 'delegation.ended'])
    t.is(await recordEnds(stores()), 0)
  })

  test.serial(`expiry comes before an end that follows it ${over}`, async (t) => {
    const { workspace, person, service } = await createDelegationScene(environment, transport)
    const row = { user_id: person.id, workspace_id: workspace, service_name: service }
    const at = (seconds: number) => new Date(Date.now() + seconds * 1000)
    const late = await insertDelegation(pool, { ...row, expires_at: at(-9), ended_at: at(-3) })
    const early = await insertDelegation(pool, { ...row, expires_at: at(-3), ended_at: at(-9) })
    await recordEnds(stores())
    t.deepEqual(await actionsOf(late), ['delegation.expired'])
    t.deepEqual(await actionsOf(early), ['delegation.ended'])
  })

  test.serial(`ended delegations are deleted 90 days later, once recorded ${over}`, async (t) => {
    const { workspace, person, service } = await createDelegationScene(environment, transport)
    const row = { user_id: person.id, workspace_id: workspace, service_name: service }
    const daysAgo = (days: number) => new Date(Date.now() - days * 24 * 3_600_000)
    const rows = {
      expired: await insertDelegation(pool, { ...row, expires_at: daysAgo(91) }),
      ended: await insertDelegation(pool, { ...row, ended_at: daysAgo(91) }),
      kept: await insertDelegation(pool, { ...row, ended_at: daysAgo(89) }),
      live: await insertDelegation(pool, row),
    }
    const left = async () => {
      const ids = Object.values(rows)
      const found = await pool.query('select id from delegations where id = any($1)', [ids])
      return Object.entries(rows).flatMap(([name, id]) =>
        found.rows.some((one) => one.id === id) ? [name] : [],
      )
    }
    await stores().delegations.deleteEnded()
    t.deepEqual(await left(), ['expired', 'ended', 'kept', 'live'])
    await recordEnds(stores())
    t.false(await stores().delegations.deleteEnded())
    t.deepEqual(await left(), ['kept', 'live'])
  })

  test.serial(`a user has a limited number of delegations, also at once ${over}`, async (t) => {
    const { create, delegate, list, call } = await createDelegationScene(environment, transport)
    const { id: delegation_id } = await delegate()
    const outcomes = await Promise.all([create(), create(), create()])
    t.is(outcomes.filter(({ ok }) => ok).length, 1)
    t.is((await list()).length, 2)
    const error = expectError(await create())
    t.is(`${error.code} ${error.reason}`, 'resource_exhausted QUOTA_EXCEEDED')
    t.is(error.retryAfter, 60)
    expectOk(await call('DeleteMyDelegation', { delegation_id }))
    expectOk(await create())
  })

  test.serial(
    `no delegation outlives an agent that is deactivated at the same time ${over}`,
    async (t) => {
      const scene = await createDelegationScene(environment, transport)
      const { workspace, create, list, person } = scene
      for (let round = 0; round < 8; round += 1) {
        const isClient = round % 2 === 0
        const id = isClient
          ? await seed.clientApp([], { type: 'confidential' })
          : await seedServiceAccount(environment, workspace)
        const agent = { type: isClient ? 'client' : 'service_account', id }
        const table = isClient ? 'client_apps' : 'users'
        const sql = `update ${table} set is_active = false where id = $1`
        await Promise.all([create({ agent }), pool.query(sql, [id])])
        t.deepEqual(await list(), [])
      }
      const leaving = { workspace_id: workspace, user_id: person.id }
      const remove = async () =>
        expectOk(await scene.call('RemoveMember', leaving, scene.people.owner))
      await Promise.all([create(), remove()])
      const live = 'select from delegations where user_id = $1 and ended_at is null'
      t.is((await pool.query(live, [person.id])).rows.length, 0)
    },
  )

  test.serial(`a creation waits for what would end it ${over}`, async (t) => {
    const { create, agent, list } = await createDelegationScene(environment, transport)
    const ending = await pool.connect()
    try {
      await ending.query('begin')
      await ending.query('update users set is_active = false where id = $1', [agent.id])
      const creation = create()
      await waitUntilBlocked(pool)
      await ending.query('commit')
      t.is(expectError(await creation).reason, 'AGENT_NOT_FOUND')
    } finally {
      ending.release()
    }
    t.deepEqual(await list(), [])
  })

  test.serial(`administrators list and end the delegations of all users ${over}`, async (t) => {
    const { workspace, person, agent, delegate, list } = await createDelegationScene(
      environment,
      transport,
    )
    const { id: delegation_id } = await delegate()
    const found = async (filter: object) => {
      const page = expectOk(await transport.call('ListDelegations', filter, { admin: admin.token }))
      return [page.total, ...page.items.map(({ id }: { id: string }) => id)]
    }
    t.deepEqual(await found({ user_id: person.id }), [1, delegation_id])
    t.deepEqual(await found({ workspace_id: workspace, agent_id: agent.id }), [1, delegation_id])
    t.deepEqual(await found({ workspace_id: workspace, agent_id: randomUUID() }), [0])
    t.deepEqual(await found({ workspace_id: workspace, page: 2, page_size: 1 }), [1])
    const end = () => transport.call('DeleteDelegation', { delegation_id }, { admin: admin.token })
    expectOk(await end())
    t.is(expectError(await end()).reason, 'DELEGATION_NOT_FOUND')
    t.deepEqual(await list(), [])
    t.is((await eventsOf(delegation_id)).at(-1)?.actor_id, admin.id)
  })

  test.serial(
    `the export and the erasure of a person know their delegations ${over}`,
    async (t) => {
      const { person, people, delegate } = await createDelegationScene(environment, transport)
      const created = await delegate({ reason: 'A reason of one person' })
      const exported = expectOk(await administer('ExportUser', { user_id: person.id }))
      t.deepEqual(exported.delegations, [created])
      const ofOther = expectOk(await administer('ExportUser', { user_id: people.viewer.id }))
      t.deepEqual(ofOther.delegations, [])
      expectOk(await administer('DeleteUser', { user_id: person.id }))
      const { rows } = await pool.query('select from delegations where user_id = $1', [person.id])
      t.is(rows.length, 0)
      const [, ended] = await eventsOf(created.id)
      t.is(ended.action, 'delegation.ended')
      t.is(ended.actor_id, admin.id)
      const log = await pool.query(`select from activity where detail::text like '%of one person%'`)
      t.is(log.rows.length, 0)
    },
  )

  test.serial(`the day on which an agent last acted is kept ${over}`, async (t) => {
    const { delegate, call } = await createDelegationScene(environment, transport)
    const { id: delegation_id } = await delegate()
    const lastUse = async () =>
      expectOk(await call('GetMyDelegation', { delegation_id })).last_used_at
    const use = async (at: string) => {
      app.services.noteDelegationUse(delegation_id, new Date(at))
      await app.writeKeyUses()
    }
    t.falsy(await lastUse())
    await use('2026-03-04T23:59:59+01:00')
    t.is(await lastUse(), '2026-03-04T00:00:00.000Z')
    await use('2026-03-03T12:00:00Z')
    t.is(await lastUse(), '2026-03-04T00:00:00.000Z')
    await use('2026-03-05T00:00:00Z')
    t.is(await lastUse(), '2026-03-05T00:00:00.000Z')
  })
}
