import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { EntityManager } from '@mikro-orm/postgresql'
import test, { type ExecutionContext } from 'ava'
import { openDatabase } from '../../src/database/database.ts'
import { inTransaction } from '../../src/database/transaction.ts'
import { cloneDatabase } from '../support/database.ts'
import { countLockWaits, waitUntilBlocked } from '../support/lock-waits.ts'
import { startDatabaseProxy } from '../support/proxy.ts'
import { sendRawHttp } from '../support/raw-requests.ts'
import { createSeed } from '../support/seed.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Outcome } from '../support/transports.ts'
import { waitUntil } from '../support/wait-until.ts'
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

/**
 * Returns a fixture for each transport, with a resource that its viewer owns. On a busy machine, the
 * database may respond too late for the timeouts of production, which the nodes of this file have.
 */
async function createFixtures() {
  let setups: Setup[] | undefined
  await waitUntil(async () => {
    setups = await tryFixtures().catch(() => undefined)
    return setups !== undefined
  })
  return setups as Setup[]
}

async function tryFixtures() {
  return Promise.all(
    environment.transports.map(async (transport) => {
      const fixture = await createWorkspaceFixture({ ...environment, seed }, transport)
      return { transport, fixture, record: await fixture.register(fixture.people.viewer) }
    }),
  )
}

type Setup = Awaited<ReturnType<typeof tryFixtures>>[number]

const check = ({ transport, fixture, record }: Setup) => {
  const checks = [{ ...fixture.kind, resource_id: record.resource_id, action: 'view' }]
  return transport.call('Check', { checks }, fixture.as(fixture.people.viewer))
}
const register = ({ transport, fixture }: Setup, resource_id: string = randomUUID()) => {
  const { workspace: workspace_id, people, kind, key } = fixture
  const message = { ...kind, resource_id, workspace_id, owner_id: people.viewer.id }
  return transport.call('Register', message, { key })
}
const share = ({ transport, fixture, record }: Setup) => {
  const { people } = fixture
  const grant = { grantee_type: 'user', grantee_id: people.editor.id, permission: 'view' }
  return transport.call('Share', { permission_id: record.id, ...grant }, fixture.as(people.viewer))
}
const callAll = (setups: Setup[]) =>
  Promise.all(setups.flatMap((setup) => [check(setup), register(setup), share(setup)]))

const unavailable = {
  ok: false,
  code: 'unavailable',
  reason: 'STORAGE_UNAVAILABLE',
  retryAfter: 1,
} as const

/** On a busy machine, a call may have waited for the lock as long as the server lets it before the connections are cut. */
function assertCut(t: ExecutionContext, outcome: Outcome): void {
  const isTooSlow = !outcome.ok && outcome.reason === 'LOCK_TIMEOUT'
  t.like(outcome, isTooSlow ? { ok: false, code: 'unavailable' } : unavailable)
}

/** Retries until every call succeeds without intervention. */
async function retryUntilAvailable(setups: Setup[]): Promise<Outcome[]> {
  let outcomes: Outcome[] = []
  await waitUntil(async () => {
    outcomes = await callAll(setups)
    return outcomes.every(({ ok }) => ok)
  })
  return outcomes
}

/**
 * Locks the tables, starts the work, and cuts the connections once `waiting` statements are
 * blocked, or after 2 seconds.
 */
async function whileLocked<Result>(
  tables: string,
  mode: string,
  waiting: number,
  begin: () => Promise<Result>,
): Promise<Result> {
  const client = await pool.connect()
  const deadline = performance.now() + 2000
  try {
    await client.query(`begin; lock table ${tables} in ${mode} mode`)
    const outcomes = begin()
    while ((await countLockWaits(pool)) < waiting && performance.now() < deadline);
    await proxy.cut()
    return await outcomes
  } finally {
    await client.query('rollback')
    client.release()
  }
}

test.serial(
  'connections cut during Check, Register and Share return 503, then calls recover',
  async (t) => {
    const setups = await createFixtures()
    // Every call waits for its facts query, which waits for the lock.
    const outcomes = await whileLocked('members', 'access exclusive', 2, () => callAll(setups))
    for (const outcome of outcomes) assertCut(t, outcome)
    await proxy.open()
    for (const outcome of await retryUntilAvailable(setups)) t.true(outcome.ok)
  },
)

test.serial('connections cut during a write return 503 and leave no partial change', async (t) => {
  const setups = await createFixtures()
  const ids = setups.map(() => randomUUID())
  const outcomes = await whileLocked('resources, shares', 'exclusive', 3, () =>
    Promise.all(
      setups.flatMap((setup, index) => [share(setup), register(setup, ids[index] as string)]),
    ),
  )
  for (const outcome of outcomes) assertCut(t, outcome)
  await proxy.open()
  for (const [index, setup] of setups.entries()) {
    await retryUntilAvailable([{ ...setup, record: await registerWithRetry(setup) }])
    const { kind, key } = setup.fixture
    const message = { ...kind, resource_id: ids[index] }
    t.like(await setup.transport.call('GetResource', message, { key }), {
      ok: false,
      code: 'not_found',
    })
    t.deepEqual((await setup.fixture.readResource(setup.record)).shares, [])
  }
})

test.serial(
  'while connections are refused, every call returns 503 at once and /health returns 200; then calls recover',
  async (t) => {
    const setups = await createFixtures()
    await proxy.cut()
    const started = performance.now()
    for (let round = 0; round < 5; round += 1)
      for (const outcome of await callAll(setups)) t.like(outcome, unavailable)
    // Waiting for the connection timeout would take 15 seconds.
    t.true(performance.now() - started < 14_000)
    t.is((await sendRawHttp(environment.httpPort, { path: '/health' })).status, 200)
    // Without a database, development mode must not be assumed.
    for (const { transport, fixture } of setups) {
      const message = { ...fixture.kind, resource_id: randomUUID() }
      t.like(await transport.call('GetResource', message), unavailable)
    }
    await proxy.open()
    for (const outcome of await retryUntilAvailable(setups)) t.true(outcome.ok)
  },
)

test.serial(
  'after PostgreSQL terminates connections, the next calls succeed or return 503',
  async (t) => {
    const setups = await createFixtures()
    let terminated = 0
    for (let round = 0; round < 5; round += 1) {
      const pending = callAll(setups)
      const { rowCount } = await pool.query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where datname = current_database() and starts_with(application_name, 'daikon/')`,
      )
      terminated += Number(rowCount)
      for (const outcome of await pending)
        t.true(outcome.ok || outcome.code === 'unavailable', JSON.stringify(outcome))
    }
    t.true(terminated > 0)
    for (const outcome of await retryUntilAvailable(setups)) t.true(outcome.ok)
  },
)

test.serial(
  'writes recover after more transactions were cut than the pool has connections',
  async (t) => {
    const setups = await createFixtures()
    const [setup] = setups as [Setup]
    const outcomes = await whileLocked('shares', 'exclusive', 10, () =>
      Promise.all(Array.from({ length: 15 }, () => share(setup))),
    )
    for (const outcome of outcomes) t.like(outcome, { ok: false, code: 'unavailable' })
    await proxy.open()
    for (const outcome of await retryUntilAvailable(setups)) t.true(outcome.ok)
  },
)

test.serial('a connection cut during BEGIN or COMMIT is reported as unavailable', async (t) => {
  const node = await openDatabase(proxy.url, () => {})
  const nothing = () => Promise.resolve()
  await inTransaction(await node.fork(), nothing)
  const select = (em: EntityManager) => em.execute('select 1').then(() => proxy.cut())
  await t.throwsAsync(inTransaction(await node.fork(), select), { name: 'ServiceError' })
  await t.throwsAsync(inTransaction(await node.fork(), nothing), { name: 'ServiceError' })
  await proxy.open()
  await t.notThrowsAsync(inTransaction(await node.fork(), nothing))
  const late = sleep(60_000, 'late', { ref: false })
  const closed = node.close().then(() => 'closed')
  t.is(await Promise.race([closed, late]), 'closed')
})

test.serial(
  'while PostgreSQL hangs, calls return 503 within the timeouts; then they recover',
  async (t) => {
    const setups = await createFixtures()
    const [grpc, rest] = setups as [Setup, Setup]
    const client = await pool.connect()
    await client.query('begin; lock table shares in exclusive mode')
    // One call hangs inside its transaction; the others hang before theirs.
    const writing = share(grpc)
    await waitUntilBlocked(pool)
    proxy.hang()
    const started = performance.now()
    const hangingCalls = Promise.all([
      writing,
      ...[check, register, share].map((call) => call(rest)),
      check(grpc),
    ])
    t.is((await sendRawHttp(environment.httpPort, { path: '/health' })).status, 200)
    for (const outcome of await hangingCalls) t.like(outcome, { ok: false, code: 'unavailable' })
    const seconds = (performance.now() - started) / 1000
    t.true(seconds < 25, `${seconds} s`)
    await client.query('rollback')
    client.release()
    await proxy.open()
    await retryUntilAvailable(setups)
    for (let round = 0; round < 10; round += 1)
      for (const outcome of await callAll(setups)) t.true(outcome.ok)
  },
)

test.serial('a call that waits for a lock ends after three seconds', async (t) => {
  const client = await pool.connect()
  try {
    for (const { transport, fixture } of await createFixtures()) {
      const { workspace, people } = fixture
      await client.query('begin')
      await client.query('select from workspaces where id = $1 for update', [workspace])
      const startedAt = performance.now()
      const message = { workspace_id: workspace, user_id: people.viewer.id, role: 'editor' }
      const outcome = await transport.call('UpdateMember', message, { token: people.owner.token })
      t.like(outcome, { code: 'unavailable', reason: 'LOCK_TIMEOUT' })
      const milliseconds = performance.now() - startedAt
      t.true(milliseconds < 30_000, `blocked: ${milliseconds} ms`)
      await client.query('rollback')
    }
  } finally {
    client.release(true)
  }
})

test.serial('an invalid token returns 401 while PostgreSQL is unavailable', async (t) => {
  const [setup] = (await createFixtures()) as [Setup]
  await proxy.cut()
  for (const transport of environment.transports) {
    const outcome = await transport.call(
      'Check',
      { checks: [] },
      { token: 'x', key: setup.fixture.key },
    )
    t.like(outcome, { ok: false, code: 'unauthenticated' })
  }
})

test.serial('a node that has lost connections stops in time', async (t) => {
  const late = sleep(60_000, 'late', { ref: false })
  const stopped = environment.stop().then(() => 'stopped')
  t.is(await Promise.race([stopped, late]), 'stopped')
})

test.after('no internal errors occurred', (t) => {
  t.deepEqual(
    environment.failures.filter(({ code }) => code === 'internal'),
    [],
  )
})

/** Registers a new resource, retrying until PostgreSQL is available. */
async function registerWithRetry({ fixture }: Setup) {
  let record: Setup['record'] | undefined
  await waitUntil(async () => {
    record = await fixture.register(fixture.people.viewer).catch(() => undefined)
    return record !== undefined
  })
  return record as Setup['record']
}
