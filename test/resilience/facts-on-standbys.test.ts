import { randomUUID } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import pg from 'pg'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { poolTimeouts } from '../../src/database/pool.ts'
import { maxReadClockDifference } from '../../src/database/replicas/clock-offset.ts'
import type { FactsQuery, Loaded, LoadFacts } from '../../src/permissions/engine/facts.ts'
import { createLoadFacts } from '../../src/permissions/engine/load-facts.ts'
import { createChangeFeed } from '../../src/permissions/engine/memory/change-feed.ts'
import { createFactsMemory } from '../../src/permissions/engine/memory/facts-memory.ts'
import type { CacheResult } from '../../src/permissions/engine/memory/verified-cache.ts'
import { cloneDatabase } from '../support/database.ts'
import { type ClusterServer, startReplicatedCluster } from '../support/replication.ts'
import { createSeed } from '../support/seed.ts'
import { waitUntil } from '../support/wait-until.ts'

// The tests run in order, because they pause, kill and promote servers. What memory notices of each
// change is tested in permissions/facts-cache.test.ts.
const { primary, standbys, close } = await startReplicatedCluster(2)
const [first, second] = standbys as [ClusterServer, ClusterServer]
process.env.TEST_DATABASE_URL = primary.url
const { url: primaryUrl, pool } = await cloneDatabase()
/** Returns the URL of the database on a server. */
const urlOf = ({ url }: ClusterServer) =>
  Object.assign(new URL(url), { pathname: new URL(primaryUrl).pathname }).href
const urls = standbys.map(urlOf)
const database = await openDatabase(primaryUrl, () => {}, poolTimeouts, { urls })
const seed = createSeed(pool)
test.after.always(async () => {
  await database.close()
  await pool.end()
  await close()
})

const stateOf = ({ replicas }: Database = database) => replicas?.state().replicas ?? []
const areRead = () => stateOf().every(({ status }) => status === 'ok')

/** Creates a viewer of a workspace, and a query whose facts include the role. */
async function createViewer() {
  const workspaceId = await seed.workspace()
  const userId = await seed.newMember(workspaceId)
  const check = { serviceName: 'docs', resourceType: 'document', action: 'view' }
  const checks = [{ ...check, resourceId: randomUUID() }]
  const query: FactsQuery = { userId, workspaceId, checks }
  return { query, setRole: (role: string) => setRole(pool, userId, role), userId }
}

const setRole = (client: Pick<pg.Pool, 'query'>, userId: string, role: string) =>
  client.query('update members set role = $2 where user_id = $1', [userId, role])

function createCache(of: Database = database, load: LoadFacts = createLoadFacts(of.reads)) {
  const results: CacheResult[] = []
  const feed = createChangeFeed(of.statements, of.replicas)
  const onQuery = (result: CacheResult) => results.push(result)
  const cached = createFactsMemory({ feed, maxBytes: 1_000_000, onQuery }).rememberFacts(load)
  /** Loads facts until they are in memory. */
  const warmUp = (query: FactsQuery) =>
    waitUntil(async () => {
      await cached(query)
      return results.at(-1) === 'hit'
    })
  return { cached, feed, results, warmUp }
}

const loadCurrent = createLoadFacts(database.statements)

async function assertFresh(
  t: ExecutionContext,
  { cached }: Pick<ReturnType<typeof createCache>, 'cached'>,
  query: FactsQuery,
) {
  t.deepEqual(decisive(await cached(query)), decisive(await loadCurrent(query)))
}

const decisive = ({ status, facts }: Loaded<number>) => ({ status, facts })

test.serial('both standbys confirm facts in memory', async (t) => {
  const { query } = await createViewer()
  const cache = createCache()
  await waitUntil(areRead)
  const before = stateOf().map(({ reads }) => reads)
  await waitUntil(async () => {
    await cache.warmUp(query)
    return stateOf().every(({ reads }, index) => reads > (before[index] ?? 0) + 10)
  })
  await assertFresh(t, cache, query)
})

test.serial('an expiry is noticed if the clock of a standby is a little behind', async (t) => {
  const { query, userId } = await createViewer()
  let behind: Loaded<number> | undefined
  const cache = createCache(database, async (query) => behind ?? loadCurrent(query))
  const setExpiry = (expiry: string) =>
    pool.query(`update members set expires_at = ${expiry} where user_id = $1`, [userId])
  // On a busy machine, an attempt can take longer than the clocks may differ.
  await waitUntil(async () => {
    await setExpiry('null')
    const before = await loadCurrent(query)
    const startedAt = performance.now()
    await setExpiry('now()')
    await cache.feed.refresh('')
    const other = { ...query, tokenId: randomUUID() }
    behind = before
    await cache.cached(other)
    behind = undefined
    const found = await cache.cached(other)
    if (performance.now() - startedAt > maxReadClockDifference / 2) return false
    t.deepEqual(decisive(found), decisive(await loadCurrent(other)))
    t.notDeepEqual(decisive(found), decisive(before))
    return true
  })
})

test.serial('changes that no standby replays are noticed', async (t) => {
  const { query, setRole } = await createViewer()
  const cache = createCache()
  await cache.warmUp(query)
  for (const { query } of standbys) await query('select pg_wal_replay_pause()')
  await setRole('admin')
  await assertFresh(t, cache, query)
  await cache.warmUp(query)
  await setRole('editor')
  await assertFresh(t, cache, query)
  for (const { query } of standbys) await query('select pg_wal_replay_resume()')
  await waitUntil(areRead)
  await assertFresh(t, cache, query)
})

test.serial('a commit that is visible before it is in the log is noticed', async (t) => {
  const { query, setRole: setRoleLater, userId } = await createViewer()
  // The log is written in the background only after a long time.
  await primary.query("alter system set wal_writer_delay = '10s'")
  await primary.query('select pg_reload_conf()')
  const cache = createCache()
  await cache.warmUp(query)
  const client = await pool.connect()
  await client.query('set synchronous_commit = off')
  await setRole(client, userId, 'admin')
  // It is acknowledged early, so it may be missed, but only until it is in the log.
  for (let round = 0; round < 3; round += 1) await cache.cached(query)
  await client.query('reset synchronous_commit')
  client.release()
  await seed.user()
  await assertFresh(t, cache, query)
  await setRoleLater('editor')
  await assertFresh(t, cache, query)
  await primary.query('alter system reset wal_writer_delay')
  await primary.query('select pg_reload_conf()')
})

test.serial('the other standby confirms facts in memory if one is killed', async (t) => {
  const { query, setRole } = await createViewer()
  const cache = createCache()
  await waitUntil(areRead)
  await cache.warmUp(query)
  await first.kill()
  await setRole('admin')
  await assertFresh(t, cache, query)
  await cache.warmUp(query)
  await setRole('editor')
  await assertFresh(t, cache, query)
  await first.start()
})

/** Fails the primary, and returns the URL of the next one. */
const failures: Record<string, () => Promise<string>> = {
  restarted: async () => {
    await primary.kill()
    await primary.start()
    return urlOf(primary)
  },
  replaced: async () => {
    await primary.kill()
    await first.promote()
    await second.follow(first)
    return urlOf(first)
  },
}
for (const [name, fail] of Object.entries(failures))
  test.serial(`no fact in memory is trusted after the primary was ${name}`, async (t) => {
    const { query, userId } = await createViewer()
    const hosts = [primary, first].map(({ url }) => new URL(url).host)
    const url = primaryUrl.replace(hosts[0] as string, hosts.join())
    const following = await openDatabase(
      `${url}?target_session_attrs=read-write`,
      () => {},
      poolTimeouts,
      { urls },
    )
    const cache = createCache(following)
    await cache.warmUp(query)
    const current = new pg.Client(await fail())
    // Calls fail until there is a primary again.
    const findRole = () =>
      cache.cached(query).then(
        ({ status }) => status.role,
        () => undefined,
      )
    cache.results.length = 0
    await waitUntil(async () => (await findRole()) === 'viewer')
    t.false(cache.results.includes('hit'))
    await current.connect()
    await waitUntil(() =>
      setRole(current, userId, 'admin').then(
        () => true,
        () => false,
      ),
    )
    await current.end()
    t.is((await cache.cached(query)).status.role, 'admin')
    await cache.warmUp(query)
    await following.close()
  })
