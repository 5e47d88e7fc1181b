import test, { type ExecutionContext } from 'ava'
import pg from 'pg'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { poolTimeouts } from '../../src/database/pool.ts'
import { createLoadFacts } from '../../src/permissions/engine/load-facts.ts'
import { createChangeFeed } from '../../src/permissions/engine/memory/change-feed.ts'
import { createFactsMemory } from '../../src/permissions/engine/memory/facts-memory.ts'
import type { CacheResult } from '../../src/permissions/engine/memory/verified-cache.ts'
import { cloneDatabase } from '../support/database.ts'
import { startReplicatedCluster } from '../support/replication.ts'
import { createSeed } from '../support/seed.ts'
import { waitUntil } from '../support/wait-until.ts'

// The tests run in order, because they kill backends of one server and rename databases.
const { primary, standbys, close } = await startReplicatedCluster(1)
process.env.TEST_DATABASE_URL = primary.url
const { url, pool } = await cloneDatabase()
const name = new URL(url).pathname.slice(1)
const replicaUrls = standbys.map(
  (standby) => Object.assign(new URL(standby.url), { pathname: name }).href,
)
const databases: Record<string, Database> = {
  'a primary': await openDatabase(url, () => {}),
  'a primary with a standby': await openDatabase(url, () => {}, poolTimeouts, {
    urls: replicaUrls,
  }),
}
const seed = createSeed(pool)
// The log is written in the background only after a long time, so that a crash loses what no
// synchronous commit has flushed.
await primary.query("alter system set wal_writer_delay = '10s'")
await primary.query('select pg_reload_conf()')
test.after.always(async () => {
  for (const database of Object.values(databases)) await database.close()
  await pool.end()
  await close()
})

/** Kills a backend of the server, as the kernel does when memory runs out, and waits for recovery. */
async function killBackend(): Promise<void> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  const { rows } = await client.query('select pg_backend_pid() as pid')
  const ended = new Promise((resolve) => client.once('end', resolve))
  process.kill(rows[0].pid, 'SIGKILL')
  await ended
  await waitUntil(() =>
    primary.query('select 1').then(
      () => true,
      () => false,
    ),
  )
}

/** Creates a viewer whose status is in memory. */
async function createViewer(database: Database) {
  const workspaceId = await seed.workspace()
  const userId = await seed.newMember(workspaceId)
  const query = { userId, workspaceId, checks: [] }
  const results: CacheResult[] = []
  const cached = createFactsMemory({
    feed: createChangeFeed(database.statements, database.replicas),
    maxBytes: 1_000_000,
    onQuery: (result) => results.push(result),
  }).rememberFacts(createLoadFacts(database.reads))
  const readRole = async () => (await cached(query)).status.role
  const warmUp = () =>
    waitUntil(async () => {
      await readRole()
      return results.at(-1) === 'hit'
    })
  await waitUntil(() => (database.replicas?.state().replicas ?? []).every(isRead))
  await warmUp()
  return { userId, results, readRole, warmUp }
}

const isRead = ({ status }: { status: string }) => status === 'ok'

const setRole = (client: Pick<pg.Pool, 'query'>, userId: string, role: string) =>
  client.query('update members set role = $2 where user_id = $1', [userId, role])

/** Reads the role, however long the database needs to accept connections again. */
async function readAfterFault(readRole: () => Promise<string | undefined>) {
  let role: string | undefined
  await waitUntil(() =>
    readRole().then(
      (found) => {
        role = found
        return true
      },
      () => false,
    ),
  )
  return role
}

for (const [place, database] of Object.entries(databases)) {
  const testServer = (title: string, run: (t: ExecutionContext) => Promise<void>) =>
    test.serial(`${title}: ${place}`, run)

  testServer('a change is noticed whose transaction ID a crash has freed', async (t) => {
    const { userId, readRole, warmUp } = await createViewer(database)
    // These commits are not flushed, so the crash frees their IDs, which the position includes.
    const client = await pool.connect()
    await client.query('set synchronous_commit = off')
    for (let count = 0; count < 200; count += 1) await client.query('select pg_current_xact_id()')
    client.release(true)
    await warmUp()
    t.is(await readRole(), 'viewer')
    await killBackend()
    await setRole(pool, userId, 'admin')
    t.is(await readAfterFault(readRole), 'admin')
    await warmUp()
    await setRole(pool, userId, 'editor')
    t.is(await readRole(), 'editor')
  })

  testServer('a commit that a crash loses does not stay in memory', async (t) => {
    const { userId, readRole, results } = await createViewer(database)
    // Reads take place on the primary, where the commit is visible.
    for (const { query } of standbys) await query('select pg_wal_replay_pause()')
    const client = await pool.connect()
    await client.query('set synchronous_commit = off')
    await setRole(client, userId, 'admin')
    client.release(true)
    await waitUntil(async () => (await readRole()) === 'admin' && results.at(-1) === 'hit')
    await killBackend()
    for (const { query } of standbys) await query('select pg_wal_replay_resume()')
    const { rows } = await pool.query('select role from members where user_id = $1', [userId])
    // The position that standbys wait for may have flushed the commit.
    if (!database.replicas) t.is(rows[0].role, 'viewer')
    t.is(await readAfterFault(readRole), rows[0].role)
  })

  testServer('another database in the place of the former one is noticed', async (t) => {
    const { userId, readRole, warmUp } = await createViewer(database)
    const restored = `${name}_restored`
    const disconnect = (of: string) =>
      primary.query(`select pg_terminate_backend(pid) from pg_stat_activity
        where datname = '${of}' and backend_type = 'client backend'`)
    const administer = async (of: string, sql: string) =>
      waitUntil(async () => {
        await disconnect(of)
        return primary.query(sql).then(
          () => true,
          () => false,
        )
      })
    await administer(name, `create database ${restored} template ${name} strategy file_copy`)
    const client = new pg.Client(Object.assign(new URL(url), { pathname: restored }).href)
    await client.connect()
    await setRole(client, userId, 'admin')
    await client.query('delete from access_changes')
    await client.end()
    await warmUp()
    await administer(name, `alter database ${name} rename to ${name}_former`)
    await administer(restored, `alter database ${restored} rename to ${name}`)
    t.is(await readAfterFault(readRole), 'admin')
    await administer(`${name}_former`, `drop database ${name}_former`)
  })

  testServer('a table of changes that was created again is noticed', async (t) => {
    const { userId, readRole } = await createViewer(database)
    await pool.query(`
      begin;
      set local session_replication_role = replica;
      update members set role = 'admin' where user_id = '${userId}';
      create table restored (like access_changes including all);
      drop table access_changes;
      alter table restored rename to access_changes;
      commit`)
    t.is(await readRole(), 'admin')
  })
}
