import { isDeepStrictEqual } from 'node:util'
import test from 'ava'
import pg from 'pg'
import { type Database, openDatabase } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { poolTimeouts } from '../../src/database/pool.ts'
import {
  createReadIndexSource,
  type ReadIndexSource,
} from '../../src/database/replicas/read-index-source.ts'
import { openReplica } from '../../src/database/replicas/replica.ts'
import type { ReplicaStatus } from '../../src/database/replicas/replica-choice.ts'
import { createReplicaReads, type ReplicaReads } from '../../src/database/replicas/replica-reads.ts'
import type { Statements } from '../../src/database/statement-pool.ts'
import { expectOk } from '../support/outcome.ts'
import { sendRawHttp } from '../support/raw-requests.ts'
import { type ClusterServer, startReplicatedCluster } from '../support/replication.ts'
import { createKeyFolder, startServer } from '../support/server-process.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { waitUntil } from '../support/wait-until.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

// Timeouts are long, so that only the tested behavior ends a wait.
const timeouts = {
  ...poolTimeouts,
  connectionTimeoutMillis: 30_000,
  statement_timeout: 0,
  query_timeout: 120_000,
}
// The tests run in order and use a separate cluster, because they pause, kill and promote servers.
const foreignUrl = process.env.TEST_DATABASE_URL as string
const cluster = await startReplicatedCluster(2)
const { primary, standbys } = cluster
const [first, second] = standbys as [(typeof standbys)[0], (typeof standbys)[0]]
process.env.TEST_DATABASE_URL = primary.url
const environment = await startTestEnvironment({}, undefined, {}, { urls: [first.url] })
const [transport] = environment.transports as [Transport]
await migrate(primary.url)
await primary.query('create table counter (value int not null); insert into counter values (0)')
const database = await open(primary.url, first.url)
test.after.always(async () => {
  await database.close()
  await environment.stop().catch(() => {})
  await cluster.close()
})

let written = 0

function open(url: string, ...urls: string[]): Promise<Database> {
  return openDatabase(url, () => {}, timeouts, { urls })
}

/** Returns a source with positions that precede every write, so that reads do not wait. */
function skipWait(source: ReadIndexSource): ReadIndexSource {
  return {
    ...source,
    async read() {
      const index = await source.read()
      return { ...index, position: { ...index.position, lsn: 1n } }
    },
  }
}

/** Opens reads of the standbys with a source of positions. */
async function openReads(urls: string[], readIndex: ReadIndexSource): Promise<ReplicaReads> {
  const reads = createReplicaReads({
    primary: database.statements,
    replicas: urls.map((url) =>
      openReplica({ url, timeouts, onError: () => {}, onStatus: () => {} }),
    ),
    readIndex,
  })
  await reads.start()
  return reads
}

const createSource = () => createReadIndexSource({ connectionString: primary.url }, () => {})

async function changeSetting(server: ClusterServer, name: string, value: string) {
  await server.query(`alter system set ${name} = '${value}'`)
  await server.query('select pg_reload_conf()')
}

/** Writes the next value on the primary and returns it once it is acknowledged. */
async function write({ statements }: Pick<Database, 'statements'> = database): Promise<number> {
  written += 1
  await statements.rows('write', 'update counter set value = $1', [written])
  return written
}

async function read(statements: Statements = database.reads): Promise<number> {
  const [row] = await statements.rows<[number]>('read', 'select value from counter', [])
  return (row as [number])[0]
}

const stateOf = (name: string, { replicas }: Database = database) =>
  replicas?.state().replicas.find((replica) => replica.name === name)

const nameOf = ({ url }: { url: string }) => new URL(url).host

async function waitForStatus(name: string, wanted: ReplicaStatus, of: Database = database) {
  await waitUntil(() => stateOf(name, of)?.status === wanted).catch((cause) => {
    throw new Error(`${name} is ${stateOf(name, of)?.status}, not ${wanted}`, { cause })
  })
}

function readsOf(server: { url: string }): number {
  return stateOf(nameOf(server))?.reads ?? 0
}

test.serial(
  'copies of a stopped data folder become standbys that follow the primary',
  async (t) => {
    for (const standby of standbys) {
      const [row] = await standby.query<{ standby: boolean }>(
        'select pg_is_in_recovery() as standby',
      )
      t.true(row?.standby)
    }
    // The standby has replayed the creation of the table once it serves reads.
    await waitForStatus(nameOf(first), 'ok')
    await t.throwsAsync(first.query('create table other ()'), { message: /read-only/ })
  },
)

test.serial(
  '300 reads through a standby, each immediately after a write, are never stale',
  async (t) => {
    const before = readsOf(first)
    // On a busy machine, a standby that replays late serves few reads.
    for (let round = 0; round < 300 || readsOf(first) === before; round += 1) {
      const value = await write()
      t.is(await read(), value)
    }
    t.log(`the standby served ${readsOf(first) - before}`)
  },
)

test.serial('reads of a standby that replays late are stale only without the wait', async (t) => {
  await changeSetting(second, 'recovery_min_apply_delay', '100ms')
  const withoutWait = await openReads([second.url], skipWait(createSource()))
  const withWait = await openReads([second.url], createSource())
  let stale = 0
  for (let round = 0; round < 20 || (stale === 0 && round < 500); round += 1) {
    const value = await write()
    if ((await read(withoutWait)) < value) stale += 1
    t.is(await read(withWait), value)
  }
  t.true(stale > 0)
  await withoutWait.close()
  await withWait.close()
  await changeSetting(second, 'recovery_min_apply_delay', '0')
})

test.serial('standbys are read during a large transaction', async (t) => {
  await waitForStatus(nameOf(first), 'ok')
  const source = createSource()
  const writer = new pg.Client({ connectionString: primary.url })
  await writer.connect()
  await writer.query('create table filler (text text)')
  await writer.query('begin')
  // In the background, PostgreSQL flushes whole pages of the log only. The last of them ends within
  // a record.
  const insert = "insert into filler select repeat('x', 100) from generate_series(1, 5000)"
  await waitUntil(async () => {
    await writer.query(insert)
    const [row] = await primary.query<{ is_boundary: boolean }>(
      "select (pg_current_wal_flush_lsn() - '0/0') % 8192 = 0 as is_boundary",
    )
    return row?.is_boundary === true
  })
  const { position } = await source.read()
  t.not(position.lsn % 8192n, 0n)
  const before = readsOf(first)
  await waitUntil(async () => {
    t.is(await read(), written)
    return readsOf(first) > before
  })
  await writer.query('rollback')
  await writer.end()
  await source.close()
})

test.serial(
  'the primary does not return a state older than one already visible on a standby',
  async (t) => {
    const reads = await openReads([], createSource())
    // The commit waits for a standby that does not exist, but is already visible on the others.
    await changeSetting(primary, 'synchronous_standby_names', 'missing')
    const writing = write()
    const value = written
    await waitUntil(async () => {
      const [row] = await first.query<{ value: number }>('select value from counter')
      return row?.value === value
    })
    const reading = read(reads)
    await changeSetting(primary, 'synchronous_standby_names', '')
    t.is(await reading, value)
    await writing
    await reads.close()
  },
)

test.serial(
  'checks through a node with a standby reflect every change over both transports',
  async (t) => {
    const name = nameOf(first)
    await waitForStatus(name, 'ok', environment.database)
    const served = () => stateOf(name, environment.database)?.reads ?? 0
    for (const transport of environment.transports) {
      const before = served()
      const fixture = await createWorkspaceFixture(environment, transport)
      const { people, register, share, isAllowed, key } = fixture
      const record = await register(people.owner)
      const { id: user } = people.viewer
      for (let round = 0; round < 10 || served() === before; round += 1) {
        await share(people.owner, record, { user }, 'view')
        t.true(await isAllowed(people.viewer, 'view', record), 'shared')
        const grantee = { grantee_type: 'user', grantee_id: user, permission: 'view' }
        const revoked = { permission_id: record.id, ...grantee }
        expectOk(await transport.call('RevokeShare', revoked, { key }))
        t.false(await isAllowed(people.viewer, 'view', record))
      }
    }
  },
)

test.serial(
  'checks through a node with a standby reflect declarations, attributes and links',
  async (t) => {
    const name = nameOf(first)
    await waitForStatus(name, 'ok', environment.database)
    const served = () => stateOf(name, environment.database)?.reads ?? 0
    for (const transport of environment.transports) {
      const before = served()
      const { people, kind, key, register, share, isAllowed, as } = await createWorkspaceFixture(
        environment,
        transport,
      )
      const { owner, viewer } = people
      const call = async (method: string, message: object, credentials: object = { key }) =>
        expectOk(await transport.call(method, message, credentials))
      const record = await register(owner, { attributes: { stage: 'draft' } })
      const { id: permission_id, resource_id } = record
      await share(owner, record, { user: viewer.id }, 'view')
      const setStage = (stage: string) =>
        call('UpdateAttributes', { permission_id, attributes: { stage } })
      const require = (expression: string) =>
        call('PutResourceType', {
          ...kind,
          roles: [],
          conditions: [{ name: 'stage', description: '', expression, parameters: {} }],
          requirements: [{ action: 'view', condition: 'stage' }],
        })
      const opens = async (id: string) => {
        const resource = { type: kind.resource_type, id: resource_id }
        const message = { subject: { type: 'link', id }, action: { name: 'view' }, resource }
        return (await call('Evaluate', message)).decision
      }
      for (let round = 0; round < 5 || served() === before; round += 1) {
        await require('resource.attributes.stage == "final"')
        t.false(await isAllowed(viewer, 'view', record), 'required')
        await setStage('final')
        t.true(await isAllowed(viewer, 'view', record), 'final')
        const link = await call('CreateLink', { permission_id, permission: 'view' }, as(owner))
        t.true(await opens(link.token), 'link')
        await setStage('draft')
        t.false(await opens(link.token), 'draft')
        await require('true')
        t.true(await opens(link.token), 'required no more')
        await call('DeleteLink', { permission_id, link_id: link.id }, as(owner))
        t.false(await opens(link.token), 'revoked')
      }
    }
  },
)

test.serial('checks through a node with a standby reflect guests and what is below', async (t) => {
  const name = nameOf(first)
  await waitForStatus(name, 'ok', environment.database)
  const served = () => stateOf(name, environment.database)?.reads ?? 0
  for (const current of environment.transports) {
    const before = served()
    const fixture = await createWorkspaceFixture(environment, current)
    const { people, kind, key, register, workspace } = fixture
    const folderType = { ...kind, resource_type: 'folder', roles: [] }
    const unblocked = {
      name: 'unblocked',
      description: '',
      expression: '!has(resource.attributes.blocked) || resource.attributes.blocked == false',
      parameters: {},
    }
    const declare = async (inherited: boolean) =>
      expectOk(
        await current.call(
          'PutResourceType',
          {
            ...folderType,
            conditions: [unblocked],
            requirements: [{ action: 'view', condition: 'unblocked', inherited }],
          },
          { key },
        ),
      )
    await declare(true)
    const folder = await register(people.owner, {
      resource_type: 'folder',
      visibility: 'workspace',
    })
    const { resource_type, resource_id } = folder
    const plan = await register(people.owner, { parent: { resource_type, resource_id } })
    const sees = () => fixture.isAllowed(people.viewer, 'view', plan)
    const setGuest = async (guest: boolean) => {
      const message = { workspace_id: workspace, user_id: people.viewer.id, role: 'viewer', guest }
      expectOk(await current.call('UpdateMember', message, { token: people.admin.token }))
    }
    const block = async (blocked: boolean) => {
      const message = { permission_id: folder.id, attributes: { blocked } }
      expectOk(await current.call('UpdateAttributes', message, { key }))
    }
    for (let round = 0; round < 5 || served() === before; round += 1) {
      t.true(await sees())
      await setGuest(true)
      t.false(await sees(), 'a guest')
      await setGuest(false)
      t.true(await sees())
      await block(true)
      t.false(await sees(), 'blocked above')
      await declare(false)
      t.true(await sees(), 'not inherited')
      await declare(true)
      t.false(await sees(), 'inherited')
      await block(false)
    }
  }
})

test.serial('a lagging standby is not read until it catches up', async (t) => {
  await first.query('select pg_wal_replay_pause()')
  const value = await write()
  // On a busy machine, the standby may be found unresponsive before it is found to lag.
  await waitUntil(async () => {
    t.is(await read(), value)
    return stateOf(nameOf(first))?.status === 'lagging'
  })
  t.true((stateOf(nameOf(first))?.lagBytes ?? 0) > 0)
  await first.query('select pg_wal_replay_resume()')
  await waitForStatus(nameOf(first), 'ok')
  const before = readsOf(first)
  await waitUntil(async () => {
    await read()
    return readsOf(first) > before
  })
  t.pass()
})

test.serial('reads of a standby that hangs are repeated on the primary', async (t) => {
  const readSlowly = () =>
    database.reads.rows<[number]>(
      'slow read',
      'select value from counter, (select pg_sleep(case when pg_is_in_recovery() then 600 else 0 end)) s',
      [],
    )
  let sleeping: ReturnType<typeof readSlowly> | undefined
  await waitUntil(async () => {
    // If the standby is late at that moment, the primary serves the read, which ends.
    sleeping ??= readSlowly().finally(() => {
      sleeping = undefined
    })
    const rows = await first.query("select from pg_stat_activity where wait_event = 'PgSleep'")
    return rows.length > 0 && sleeping !== undefined
  })
  const value = written
  await first.pause()
  // On the standby, the query would sleep for 600 seconds.
  t.deepEqual(await sleeping, [[value]])
  t.is(await read(), value)
  await waitForStatus(nameOf(first), 'unresponsive')
  const next = await write()
  t.is(await read(), next)
  await first.resume()
  await waitForStatus(nameOf(first), 'ok')
  t.is(await read(), next)
})

test.serial('a killed standby is not read until it is restarted', async (t) => {
  const reading = Promise.all(Array.from({ length: 20 }, () => read()))
  await first.kill()
  t.deepEqual([...new Set(await reading)], [written])
  t.is(await read(), written)
  await waitForStatus(nameOf(first), 'unavailable')
  const value = await write()
  t.is(await read(), value)
  await first.start()
  await waitForStatus(nameOf(first), 'ok')
  t.is(await read(), value)
})

test.serial('two standbys share the reads', async (t) => {
  const both = await open(primary.url, first.url, second.url)
  await waitForStatus(nameOf(first), 'ok', both)
  await waitForStatus(nameOf(second), 'ok', both)
  const isShared = () =>
    standbys.every((standby) => (stateOf(nameOf(standby), both)?.reads ?? 0) > 0)
  for (let round = 0; round < 10 || !isShared(); round += 1) {
    t.deepEqual(
      [...new Set(await Promise.all(Array.from({ length: 8 }, () => read(both.reads))))],
      [written],
    )
  }
  await both.close()
})

test.serial('a server of another cluster is never read', async (t) => {
  const other = await open(primary.url, foreignUrl)
  const name = nameOf({ url: foreignUrl })
  await waitForStatus(name, 'other_cluster', other)
  // The read would fail on the other cluster, which does not have the table.
  t.is(await read(other.reads), written)
  t.is(stateOf(name, other)?.reads, 0)
  await other.close()
})

test.serial(
  'readiness and metrics report each replica, and a node is ready despite an unusable replica',
  async (t) => {
    const folder = createKeyFolder(t)
    const server = await startServer(t, folder, {
      DATABASE_URL: primary.url,
      REPLICA_URLS: `${first.url},${foreignUrl}`,
    })
    const replicas = { [nameOf(first)]: 'ok', [nameOf({ url: foreignUrl })]: 'other_cluster' }
    await waitUntil(async () => {
      const { json } = await sendRawHttp(server.metricsPort, { path: '/readyz' })
      return json.ready && isDeepStrictEqual(json.replicas, replicas)
    })
    const labels = `replica="${nameOf(first)}"`
    let text = ''
    // On a busy machine, the standby is late at times.
    await waitUntil(async () => {
      text = (await sendRawHttp(server.metricsPort, { path: '/metrics' })).text
      return text.includes(`daikon_replica_status{${labels},status="ok"} 1`)
    })
    t.true(text.includes(`daikon_replica_status{${labels},status="lagging"} 0`))
    t.regex(text, new RegExp(`^daikon_replica_lag_bytes{${labels}} \\d+$`, 'm'))
    t.regex(text, new RegExp(`^daikon_replica_reads_total{${labels}} \\d+$`, 'm'))
    const warning = server.lines.find(({ status }) => status === 'other_cluster')
    t.is(warning?.replica, nameOf({ url: foreignUrl }))
  },
)

test.serial(
  'replicas are rejected if commits are acknowledged before they are durable',
  async (t) => {
    // Uses a separate database, so that the setting does not affect connections of other tests.
    await primary.query('create database asynchronous template template_daikon')
    await primary.query('alter database asynchronous set synchronous_commit = off')
    const [url = '', replica = ''] = [primary, first].map(({ url }) =>
      url.replace(/daikon$/, 'asynchronous'),
    )
    await t.throwsAsync(open(url, replica), {
      code: 'ASYNCHRONOUS_COMMIT',
      message: /synchronous_commit = on/,
    })
  },
)

test.serial('without a primary, nothing is read from a standby', async (t) => {
  const fixture = await createWorkspaceFixture(environment, transport)
  const record = await fixture.register(fixture.people.viewer)
  const checks = [{ ...fixture.kind, resource_id: record.resource_id, action: 'view' }]
  await waitForStatus(nameOf(first), 'ok', environment.database)
  await primary.stop()
  await t.throwsAsync(read(), { code: 'unavailable' })
  for (const transport of environment.transports) {
    const outcome = await transport.call('Check', { checks }, fixture.as(fixture.people.viewer))
    t.like(outcome, { ok: false, code: 'unavailable', reason: 'STORAGE_UNAVAILABLE' })
  }
  await primary.start()
  await waitForStatus(nameOf(first), 'ok')
  t.is(await read(), written)
  t.true(await fixture.isAllowed(fixture.people.viewer, 'view', record))
})

test.serial(
  'after a failover, reads use the new primary and the standbys that follow it',
  async (t) => {
    const both = await open(primary.url, second.url)
    await waitForStatus(nameOf(second), 'ok', both)
    const hosts = `${nameOf(primary)},${nameOf(second)}`
    const url = primary.url.replace(nameOf(primary), hosts)
    const following = await open(`${url}?target_session_attrs=read-write`, first.url)
    // The first standby must not receive more WAL than the second one, which becomes its primary.
    await changeSetting(first, 'primary_conninfo', '')
    await waitForStatus(nameOf(first), 'not_streaming', following)
    const value = await write(following)
    t.is(await read(both.reads), value)
    await waitUntil(async () => {
      const [row] = await second.query<{ value: number }>('select value from counter')
      return row?.value === value
    })

    await second.promote()
    await second.query('update counter set value = -1')
    await first.follow(second)
    await waitForStatus(nameOf(first), 'other_timeline', following)
    await waitForStatus(nameOf(second), 'primary', both)
    await waitUntil(async () => {
      const [row] = await first.query<{ value: number }>('select value from counter')
      return row?.value === -1
    })
    // While there are two primaries, the node keeps its current one.
    for (let round = 0; round < 20; round += 1) {
      t.is(await read(both.reads), value)
      t.is(await read(following.reads), value)
    }

    await primary.kill()
    let last: number | undefined
    await waitUntil(async () => {
      last = await read(following.reads).catch(() => undefined)
      return last !== undefined
    })
    t.is(last, -1)
    await waitForStatus(nameOf(first), 'ok', following)
    const before = stateOf(nameOf(first), following)?.reads ?? 0
    await waitUntil(async () => {
      const next = await write(following)
      t.is(await read(following.reads), next)
      return (stateOf(nameOf(first), following)?.reads ?? 0) > before
    })
    await t.throwsAsync(read(both.reads), { code: 'unavailable' })
    await both.close()
    await following.close()
  },
)
