import { randomUUID } from 'node:crypto'
import test from 'ava'
import { pruneActivity } from '../../src/activity/retention.ts'
import { sealActivity } from '../../src/activity/seal.ts'
import { createStores } from '../../src/server/stores.ts'
import { createAdmin } from '../support/admin.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { PresentedCredentials, Transport } from '../support/transports.ts'
import { waitUntil } from '../support/wait-until.ts'
import { openWatchOver, type WatchRequest } from '../support/watch.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { pool, database } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

const seal = async () => {
  while ((await sealActivity(createStores(database.fork()))) > 0);
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  const open = (request: WatchRequest, credentials: PresentedCredentials, ports = environment) =>
    openWatchOver[transport.name](ports, request, credentials)
  const createFixture = () => createWorkspaceFixture(environment, transport as Transport)

  test.serial(
    `a watch receives new events, and another one continues after a cursor ${over}`,
    async (t) => {
      const fixture = await createFixture()
      await seal()
      const watch = open({ actions: ['permission.*'] }, { key: fixture.key })
      await watch.actions(0)
      t.teardown(watch.stop)
      const [bookmark] = await waitForMessages(watch, 1)
      t.like(bookmark, { bookmark: true })
      const record = await fixture.register(fixture.people.owner)
      await fixture.share(fixture.people.owner, record, { user: fixture.people.viewer.id }, 'view')
      await seal()
      t.deepEqual(await watch.actions(2), ['permission.registered', 'permission.shared'])
      const events = watch.messages.filter(({ event }) => event)
      t.is(events[0]?.event?.target_id, record.id)
      t.is(events[0]?.event?.ip ?? null, null)

      for (const request of [
        { cursor: events[0]?.cursor },
        ...(transport.name === 'rest'
          ? [{ cursor: 'earliest', last_event_id: events[0]?.cursor }]
          : []),
      ] as WatchRequest[]) {
        const next = open({ ...request, actions: ['permission.*'] }, { key: fixture.key })
        t.teardown(next.stop)
        t.deepEqual(await next.actions(1), ['permission.shared'])
      }
    },
  )

  test.serial(
    `services see their resources and the workspaces that have some, and nothing else ${over}`,
    async (t) => {
      const fixture = await createFixture()
      const other = await createFixture()
      await fixture.register(fixture.people.owner)
      await other.register(other.people.owner)
      await seal()
      const since = await head()
      for (const { people, workspace: workspace_id } of [fixture, other]) {
        const { token } = people.owner
        await transport.call('CreateGroup', { workspace_id, name: 'g' }, { token })
      }
      await transport.call(
        'UpdateServiceApp',
        { service_app_id: fixture.appId, name: 'renamed' },
        { admin: admin.token, headers: { origin: 'http://localhost:9004' } },
      )
      await fixture.register(fixture.people.owner)
      await transport.call(
        'DeleteWorkspace',
        { workspace_id: fixture.workspace },
        { token: fixture.people.owner.token },
      )
      await seal()
      const own = open({ cursor: since }, { key: fixture.key })
      const all = open({ cursor: since }, { admin: admin.token })
      const others = open({ cursor: since }, { key: other.key })
      for (const watch of [own, all, others]) t.teardown(watch.stop)
      // The workspace had resources of the service until its deletion.
      t.deepEqual(await own.actions(2), ['permission.registered', 'workspace.deleted'])
      t.deepEqual(await others.actions(1), ['group.created'])
      const seen = await all.actions(5)
      t.deepEqual(seen.toSorted(), [
        'group.created',
        'group.created',
        'permission.registered',
        'service_app.updated',
        'workspace.deleted',
      ])
      await waitForBookmark(own)
      t.is(own.messages.filter(({ event }) => event).length, 2)
      const deleted = own.messages.find(({ event }) => event?.action === 'workspace.deleted')
      t.is(deleted?.event?.detail.services, fixture.service)
    },
  )

  test.serial(`filters, cursors and credentials are checked ${over}`, async (t) => {
    const { key } = await createFixture()
    const ends = async (request: WatchRequest, credentials: PresentedCredentials = { key }) =>
      open(request, credentials).ended
    t.is(await ends({ cursor: 'x' }), 'INVALID_REQUEST')
    t.is(await ends({ actions: ['member.invted'] }), 'INVALID_REQUEST')
    t.is(await ends({ actions: ['nothing.*'] }), 'INVALID_REQUEST')
    t.is(await ends({ workspace_id: 'x' }), 'INVALID_REQUEST')
    t.is(await ends({ cursor: '1-0123456789abcdef' }), 'CURSOR_GONE')
    t.is(await ends({ cursor: '999999999-0123456789abcdef' }), 'CURSOR_GONE')
    t.is(await ends({}, {}), 'SERVICE_KEY_MISSING')
    t.is(await ends({}, { key: 'dk_x' }), 'SERVICE_KEY_INVALID')
    t.is(await ends({}, { admin: 'x' }), 'TOKEN_INVALID')
  })

  test.serial(`no event reaches a service after its app was deactivated ${over}`, async (t) => {
    const { key, appId, people, workspace, register } = await createFixture()
    await register(people.owner)
    await seal()
    const live = open({}, { key })
    await waitForMessages(live, 1)
    t.teardown(live.stop)
    await pool.query('update service_apps set is_active = false where id = $1', [appId])
    const { token } = people.owner
    await transport.call('CreateGroup', { workspace_id: workspace, name: 'g' }, { token })
    await seal()
    t.is(await live.ended, 'SERVICE_KEY_INVALID')
    t.deepEqual(
      live.messages.filter(({ event }) => event),
      [],
    )
  })

  test.serial(
    `a watch ends when its service key is no longer valid, or the server shuts down ${over}`,
    async (t) => {
      const { key, appId } = await createFixture()
      const watch = open({}, { key })
      await waitForMessages(watch, 1)
      await pool.query('update service_apps set is_active = false where id = $1', [appId])
      t.is(await watch.ended, 'SERVICE_KEY_INVALID')

      const node = await environment.addNode()
      const { key: valid } = await createFixture()
      const drained = open({}, { key: valid }, node as never)
      await waitForMessages(drained, 1)
      await node.app.drain()
      t.is(await drained.ended, transport.name === 'grpc' ? 'DRAINING' : undefined)
      t.true(drained.messages.at(-1)?.bookmark)
    },
  )
}

test.serial(
  'a watch of another node receives events in the order of their positions',
  async (t) => {
    const [transport] = environment.transports as [Transport]
    const fixture = await createWorkspaceFixture(environment, transport)
    const node = await environment.addNode()
    await seal()
    const watches = [environment, node].map((ports) =>
      openWatchOver.grpc(ports, { actions: ['permission.registered'] }, { key: fixture.key }),
    )
    for (const watch of watches) t.teardown(watch.stop)
    await Promise.all(watches.map((watch) => waitForMessages(watch, 1)))
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(Array.from({ length: 20 }, () => fixture.register(fixture.people.owner)))
      await seal()
    }
    for (const watch of watches) {
      await watch.actions(100)
      const positions = watch.messages.map(({ cursor }) => Number(cursor.split('-')[0]))
      t.deepEqual(
        positions,
        positions.toSorted((a, b) => a - b),
      )
    }
  },
)

test.serial('a cursor that was pruned, or belongs to another history, is gone', async (t) => {
  const stores = createStores(database.fork())
  await seal()
  const cursor = await head()
  const position = Number(cursor.split('-')[0])
  const ends = () => openWatchOver.rest(environment, { cursor }, { admin: admin.token })
  const open = ends()
  await waitForMessages(open, 1)
  open.stop()

  // Another history: a restored database has recorded something else at the position.
  await pool.query("update activity set seal_hash = 'x' || seal_hash where seal_seq = $1", [
    position,
  ])
  t.is(await ends().ended, 'CURSOR_GONE')
  await pool.query('update activity set seal_hash = substr(seal_hash, 2) where seal_seq = $1', [
    position,
  ])

  await stores.activity.record(
    { actorId: undefined },
    { action: 'group.created', targetId: randomUUID(), detail: { name: 'g' } },
  )
  await seal()
  await pool.query("update activity set created_at = now() - interval '40 days'")
  await pruneActivity(stores, new Date(), 30)
  t.is(await ends().ended, 'CURSOR_GONE')
  const earliest = openWatchOver.rest(environment, { cursor: 'earliest' }, { admin: admin.token })
  t.teardown(earliest.stop)
  await seal()
  t.deepEqual(await earliest.actions(1), ['activity.pruned'])
})

test.serial('in development mode, a watch sees everything but service apps', async (t) => {
  const development = await startTestEnvironment()
  t.teardown(() => development.stop())
  const { database, seed, transports } = development
  const stores = createStores(database.fork())
  const detail = { name: 'a', service_name: 's' }
  const actor = { actorId: undefined }
  const targetId = await seed.user()
  await stores.activity.record(actor, { action: 'service_app.updated', targetId, detail })
  await stores.activity.record(actor, { action: 'group.created', targetId, detail: { name: 'g' } })
  while ((await sealActivity(stores)) > 0);
  for (const { name } of transports) {
    const watch = openWatchOver[name](development, { cursor: 'earliest' }, {})
    t.teardown(watch.stop)
    t.deepEqual(await watch.actions(1), ['group.created'])
  }
})

/** Returns the cursor after the last entry. */
async function head(): Promise<string> {
  const { rows } = await pool.query('select last_seq, last_hash from activity_chain')
  return `${rows[0].last_seq}-${rows[0].last_hash.slice(0, 16)}`
}

async function waitForMessages({ messages }: { messages: { bookmark: boolean }[] }, count: number) {
  await waitUntil(() => messages.length >= count)
  return messages
}

async function waitForBookmark({ messages }: { messages: { bookmark: boolean }[] }) {
  await waitUntil(() => messages.at(-1)?.bookmark === true)
}
