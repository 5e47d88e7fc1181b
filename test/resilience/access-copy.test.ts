import { type ChildProcess, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import pg from 'pg'
import { createFaultEnvironment } from '../../bench/faults/fault-environment.ts'
import { createAccess } from '../../clients/typescript/src/access.ts'
import { createDaikon } from '../../clients/typescript/src/daikon.ts'
import { findFreePort } from '../../src/core/free-port.ts'
import { bundledPackages } from '../support/bundled-packages.ts'
import { type ClusterServer, startReplicatedCluster } from '../support/replication.ts'
import { waitUntil } from '../support/wait-until.ts'

// A copy in the database of a service, which `daikon sync` keeps while processes are killed and
// databases are restored. Documents that stay shared must be in every list that is returned, and at
// the end of each fault the copy must contain exactly what daikon answers.
const cluster = await startReplicatedCluster(1)
const own = await startReplicatedCluster(0)
const { primary, standbys } = cluster
const [standby] = standbys as [ClusterServer]
const environment = await createFaultEnvironment(primary.url)
const hosts = [primary, standby].map(({ url }) => new URL(url).host).join(',')
const { host } = new URL(primary.url)
const settings = {
  DATABASE_URL: `${primary.url.replace(host, hosts)}?target_session_attrs=read-write`,
  GRPC_PORT: `${await findFreePort()}`,
  HTTP_PORT: `${await findFreePort()}`,
}
let node = await environment.node(settings)
const {
  workspace: workspaceId,
  service,
  key: serviceKey,
  owner,
  viewer,
} = await environment.workspace()
const daikon = createDaikon({
  address: `127.0.0.1:${settings.GRPC_PORT}`,
  service,
  serviceKey,
  deadlineMs: 5000,
})
const pool = new pg.Pool({ connectionString: own.primary.url })
pool.on('error', () => {})
const access = createAccess({ daikon, pool, types: { document: 'text' } })
let follower = startFollower()
test.after.always(async () => {
  follower.kill('SIGKILL')
  daikon.close()
  await pool.end()
  await node.kill()
  await environment.close()
  await Promise.all([cluster.close(), own.close()])
})

function startFollower(): ChildProcess {
  const program = join(import.meta.dirname, '../../src/daikon.ts')
  const args = ['sync', '--database', own.primary.url, '--types', 'document=text']
  return spawn(process.execPath, [...bundledPackages, program, ...args, '--service', service], {
    env: {
      ...process.env,
      DAIKON_ADDRESS: `http://127.0.0.1:${settings.HTTP_PORT}`,
      DAIKON_SERVICE_KEY: serviceKey,
    },
    stdio: 'ignore',
  })
}

async function killFollower(): Promise<void> {
  const exited = once(follower, 'exit')
  follower.kill('SIGKILL')
  await exited
  follower = startFollower()
}

const person = { userId: viewer.id }
const named = (id: string) => ({ type: 'document', id })
const constant = Array.from({ length: 20 }, (_, index) => `constant-${index}`)
const changing = Array.from({ length: 20 }, (_, index) => `changing-${index}`)

function register(id: string): Promise<unknown> {
  return daikon.register({ ...named(id), workspaceId, ownerId: owner.id })
}

function share(id: string): Promise<unknown> {
  return daikon.shareMany([{ resource: named(id), grantee: person, grant: 'view' }])
}

/** Changes documents until it is stopped. Calls may fail while a process is down. */
function keepChanging() {
  let stopped = false
  const changes = (async () => {
    for (let count = 0; !stopped; count += 1) {
      const id = changing[count % changing.length] ?? ''
      const change = [
        () => share(id),
        () => daikon.revoke(named(id), person),
        () => daikon.unregister(named(id)),
        () => register(id),
      ][Math.floor(count / changing.length) % 4]
      await change?.().catch(() => sleep(20))
    }
  })()
  return async () => {
    stopped = true
    await changes
  }
}

async function list(): Promise<string[]> {
  const visible = await access.visible(person, 'view', 'document', { workspaceId, rows: 100 })
  const { rows } = await pool.query(
    `select id from documents d where ${visible.sql('d.id', '$1')} order by id`,
    [visible.keys],
  )
  return rows.map(({ id }) => id)
}

/** Lists until it is stopped. Returns how often, and the first list without a constant document. */
function keepListing() {
  let stopped = false
  let count = 0
  let wrong: string[] | undefined
  const lists = (async () => {
    while (!stopped) {
      const ids = await list().catch(() => undefined)
      if (!ids) await sleep(20)
      else {
        count += 1
        if (!constant.every((id) => ids.includes(id))) wrong ??= ids
      }
    }
  })()
  return async () => {
    stopped = true
    await lists
    return { count, wrong }
  }
}

/** Returns what the copy and daikon list once the copy contains a change of now. */
async function compare() {
  let position: string | undefined
  await waitUntil(async () => {
    const marker = `marker-${randomUUID()}`
    return register(marker).then(
      () => {
        position = daikon.lastPosition()
        return true
      },
      () => false,
    )
  })
  await waitUntil(() =>
    access.waitFor(position ?? '', { timeoutMs: 1000 }).then(
      () => true,
      () => false,
    ),
  )
  const accessible: string[] = []
  for await (const id of daikon.accessible(person, 'view', 'document', { workspaceId }))
    accessible.push(id)
  return { copy: (await list()).toSorted(), accessible: accessible.toSorted() }
}

test.before(async () => {
  await pool.query('create table documents (id text primary key)')
  await pool.query('insert into documents select unnest($1::text[])', [[...constant, ...changing]])
  for (const id of [...constant, ...changing]) await register(id)
  for (const id of constant) await share(id)
  await compare()
})

/** Replaces a database with a copy that was made before. */
async function restore(server: ClusterServer, statements: (name: string) => string[]) {
  const client = new pg.Client({
    connectionString: Object.assign(new URL(server.url), { pathname: '/postgres' }).href,
  })
  await client.connect()
  try {
    for (const statement of statements('daikon')) await client.query(statement)
  } finally {
    await client.end()
  }
}

const closeSessions = (name: string) => [
  `alter database ${name} allow_connections false`,
  `select pg_terminate_backend(pid, 10000) from pg_stat_activity where datname = '${name}'`,
]
const backUp = (server: ClusterServer) =>
  restore(server, (name) => [
    ...closeSessions(name),
    `create database earlier template ${name}`,
    `alter database ${name} allow_connections true`,
  ])
const restoreBackup = (server: ClusterServer) =>
  restore(server, (name) => [
    ...closeSessions(name),
    `alter database ${name} rename to replaced`,
    `alter database earlier rename to ${name}`,
    `alter database ${name} allow_connections true`,
    'drop database replaced',
  ])

const faults: Record<string, () => Promise<unknown>> = {
  'the follower is killed three times': async () => {
    for (let count = 0; count < 3; count += 1) {
      await sleep(700)
      await killFollower()
    }
  },
  'the node of daikon is killed': async () => {
    await node.kill()
    node = await environment.node(settings)
  },
  'the database of the service is killed': async () => {
    await own.primary.kill()
    await own.primary.start()
  },
  "the service's database is restored": async () => {
    await backUp(own.primary)
    await compare()
    await restoreBackup(own.primary)
  },
  "daikon's database is restored": async () => {
    await backUp(primary)
    await compare()
    await restoreBackup(primary)
  },
  "daikon's database fails over": async () => {
    await primary.kill()
    await standby.promote()
  },
}

for (const [title, inject] of Object.entries(faults))
  test.serial(`lists stay complete, and the copy becomes exact, when ${title}`, async (t) => {
    const stopChanging = keepChanging()
    const stopListing = keepListing()
    await inject()
    await compare()
    await stopChanging()
    const { copy, accessible } = await compare()
    const { count, wrong } = await stopListing()
    t.is(wrong, undefined)
    t.true(count > 0)
    t.deepEqual(copy, accessible)
    t.deepEqual(
      constant.filter((id) => !copy.includes(id)),
      [],
    )
  })
