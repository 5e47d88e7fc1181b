import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import test from 'ava'
import { openDatabase } from '../../src/database/database.ts'
import { inTransaction } from '../../src/database/transaction.ts'
import { cloneDatabase } from '../support/database.ts'
import { startDatabaseProxy } from '../support/proxy.ts'
import { sendRawHttp } from '../support/raw-requests.ts'
import { createSeed } from '../support/seed.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Outcome } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const database = await cloneDatabase()
const { pool } = database
const proxy = await startDatabaseProxy(database.url)
const environment = await startTestEnvironment({}, proxy.url)
const seed = createSeed(pool)
test.afterEach.always(() => proxy.open())
test.after.always(async () => {
  await proxy.close()
  await database.drop()
})

/** An fixture for each transport, with a resource that its viewer owns. */
async function openOffices() {
  return Promise.all(
    environment.transports.map(async (transport) => {
      const fixture = await createWorkspaceFixture({ ...environment, seed }, transport)
      return { transport, fixture, record: await fixture.register(fixture.people.viewer) }
    }),
  )
}

type Place = Awaited<ReturnType<typeof openOffices>>[number]

const check = ({ transport, fixture, record }: Place) => {
  const checks = [{ ...fixture.kind, resource_id: record.resource_id, action: 'view' }]
  return transport.call('Check', { checks }, fixture.as(fixture.people.viewer))
}
const register = ({ transport, fixture }: Place, resource_id: string = randomUUID()) => {
  const { workspace: workspace_id, people, kind, key } = fixture
  const message = { ...kind, resource_id, workspace_id, owner_id: people.viewer.id }
  return transport.call('Register', message, { key })
}
const share = ({ transport, fixture, record }: Place) => {
  const { people } = fixture
  const grant = { grantee_type: 'user', grantee_id: people.editor.id, permission: 'view' }
  return transport.call('Share', { permission_id: record.id, ...grant }, fixture.as(people.viewer))
}
const everything = (places: Place[]) =>
  Promise.all(places.flatMap((place) => [check(place), register(place), share(place)]))

const unavailable = {
  ok: false,
  code: 'unavailable',
  reason: 'STORAGE_UNAVAILABLE',
  retryAfter: 1,
} as const

/** Asks until PostgreSQL is there again; nobody helps. */
async function untilBack(places: Place[]): Promise<Outcome[]> {
  const deadline = performance.now() + 8000
  for (let tries = 20; ; tries -= 1) {
    const endings = await everything(places)
    const isBack = endings.every(({ ok }) => ok)
    if (isBack || tries === 0 || performance.now() > deadline) return endings
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/** Runs `work` while the tables are locked and so many statements wait for them, or 3 s have passed. */
async function whileLocked<Endings>(
  tables: string,
  mode: string,
  waiting: number,
  begin: () => Promise<Endings>,
): Promise<Endings> {
  const client = await pool.connect()
  const deadline = performance.now() + 3000
  try {
    await client.query(`begin; lock table ${tables} in ${mode} mode`)
    const endings = begin()
    for (;;) {
      const { rows } = await pool.query(
        `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
      if (rows.length >= waiting || performance.now() > deadline) break
    }
    await proxy.cut()
    return await endings
  } finally {
    await client.query('rollback')
    client.release()
  }
}

test.serial(
  'cut off in the middle of a check, register or share: 503, and back by itself',
  async (t) => {
    const places = await openOffices()
    // Every call waits for its facts, which wait for the lock.
    const endings = await whileLocked('members', 'access exclusive', 2, () => everything(places))
    for (const ending of endings) t.like(ending, unavailable)
    await proxy.open()
    for (const ending of await untilBack(places)) t.true(ending.ok)
  },
)

test.serial('cut off in the middle of a write: 503, and nothing of it is left', async (t) => {
  const places = await openOffices()
  const ids = places.map(() => randomUUID())
  const endings = await whileLocked('resources, shares', 'exclusive', 4, () =>
    Promise.all(places.flatMap((place, at) => [share(place), register(place, ids[at] as string)])),
  )
  for (const ending of endings) t.like(ending, unavailable)
  await proxy.open()
  for (const [at, place] of places.entries()) {
    await untilBack([{ ...place, record: await backRecord(place) }])
    const { kind, key } = place.fixture
    const message = { ...kind, resource_id: ids[at] }
    t.like(await place.transport.call('GetResource', message, { key }), {
      ok: false,
      code: 'not_found',
    })
    t.deepEqual((await place.fixture.readResource(place.record)).shares, [])
  }
})

test.serial(
  'refused: every call is 503 at once, /health answers, and back by itself',
  async (t) => {
    const places = await openOffices()
    await proxy.cut()
    const started = performance.now()
    for (let round = 0; round < 5; round += 1)
      for (const ending of await everything(places)) t.like(ending, unavailable)
    t.true(performance.now() - started < 3000)
    t.is((await sendRawHttp(environment.httpPort, { path: '/health' })).status, 200)
    // Nobody is let in meanwhile, not as in development mode either.
    for (const { transport, fixture } of places) {
      const message = { ...fixture.kind, resource_id: randomUUID() }
      t.like(await transport.call('GetResource', message), unavailable)
    }
    await proxy.open()
    for (const ending of await untilBack(places)) t.true(ending.ok)
  },
)

test.serial(
  'PostgreSQL terminates every connection: the next calls are answered or 503',
  async (t) => {
    const places = await openOffices()
    for (let round = 0; round < 5; round += 1) {
      const flying = everything(places)
      await pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
       where datname = current_database() and pid <> pg_backend_pid()
         and application_name = '' and client_port is not null`,
      )
      for (const ending of await flying) t.true(ending.ok || ending.code === 'unavailable')
    }
    for (const ending of await untilBack(places)) t.true(ending.ok)
  },
)

test.serial(
  'more cut transactions than the pool has connections: writes are back by themselves',
  async (t) => {
    const places = await openOffices()
    const [place] = places as [Place]
    const endings = Promise.all(Array.from({ length: 15 }, () => share(place)))
    await whileLocked('shares', 'exclusive', 10, () => proxy.cut())
    for (const ending of await endings) t.like(ending, { ok: false, code: 'unavailable' })
    await proxy.open()
    for (const ending of await untilBack(places)) t.true(ending.ok)
  },
)

test.serial(
  'a BEGIN or a COMMIT that is cut off is 503, whatever the transaction did',
  async (t) => {
    const node = await openDatabase(proxy.url, () => {})
    const nothing = () => Promise.resolve()
    await inTransaction(await node.fork(), nothing)
    const select = (em: EntityManager) => em.execute('select 1').then(() => proxy.cut())
    await t.throwsAsync(inTransaction(await node.fork(), select), { name: 'ServiceError' })
    await t.throwsAsync(inTransaction(await node.fork(), nothing), { name: 'ServiceError' })
    await proxy.open()
    await t.notThrowsAsync(inTransaction(await node.fork(), nothing))
    const late = new Promise((resolve) => setTimeout(() => resolve('late'), 3000))
    const closed = node.close().then(() => 'closed')
    t.is(await Promise.race([closed, late]), 'closed')
  },
)

test.serial('PostgreSQL hangs: 503 within the time-outs, and back by itself', async (t) => {
  const places = await openOffices()
  const [grpc, rest] = places as [Place, Place]
  // One call hangs in its use case's transaction, the others before it.
  const writing = share(grpc)
  let hung: Promise<Outcome[]> | undefined
  const started = performance.now()
  await whileLocked('shares', 'exclusive', 1, async () => {
    proxy.hang()
    hung = Promise.all([
      writing,
      ...[check, register, share].map((call) => call(rest)),
      check(grpc),
    ])
    t.is((await sendRawHttp(environment.httpPort, { path: '/health' })).status, 200)
  })
  for (const ending of (await hung) ?? []) t.like(ending, { ok: false, code: 'unavailable' })
  const seconds = (performance.now() - started) / 1000
  t.true(seconds < 14, `${seconds} s`)
  await proxy.open()
  await untilBack(places)
  for (let round = 0; round < 10; round += 1)
    for (const ending of await everything(places)) t.true(ending.ok)
})

test.serial('bad input and bad tokens stay what they are while PostgreSQL is away', async (t) => {
  const [place] = (await openOffices()) as [Place]
  await proxy.cut()
  for (const transport of environment.transports) {
    const ending = await transport.call(
      'Check',
      { checks: [] },
      { token: 'x', key: place.fixture.key },
    )
    t.like(ending, { ok: false, code: 'unauthenticated' })
  }
})

test.serial('a node that has lost connections stops all the same', async (t) => {
  const late = new Promise((resolve) => setTimeout(() => resolve('late'), 5000))
  const stopped = environment.stop().then(() => 'stopped')
  t.is(await Promise.race([stopped, late]), 'stopped')
})

test.after('nothing of it was a fault of ours', (t) => {
  t.deepEqual(
    environment.failures.filter(({ code }) => code === 'internal'),
    [],
  )
})

/** A record to ask with that no cut has touched. */
async function backRecord({ fixture }: Place) {
  for (let tries = 100; ; tries -= 1) {
    try {
      return await fixture.register(fixture.people.viewer)
    } catch (error) {
      if (tries === 0) throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}
