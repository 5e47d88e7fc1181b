import { execFile } from 'node:child_process'
import { once } from 'node:events'
import {
  chown,
  mkdir,
  mkdtemp,
  open,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import pg from 'pg'
import { findFreePort } from '../../src/core/free-port.ts'
import { startEmbedded } from '../../src/database/embedded/embedded-postgres.ts'
import { watchOwner } from '../../src/database/embedded/owner-watch.ts'
import { findPrograms } from '../../src/database/embedded/postmaster.ts'
import { createTemplateDatabase } from './template-database.ts'

/** A PostgreSQL server of a replicated cluster. */
export type ClusterServer = {
  /** The URL of the database `daikon`, with the password. */
  url: string
  /** The data folder. */
  folder: string
  /** Returns the IDs of its processes. */
  processes(): Promise<number[]>
  /** Starts the server and waits until it accepts connections. */
  start(): Promise<void>
  /** Shuts down the server. */
  stop(): Promise<void>
  /** Kills all processes of the server. */
  kill(): Promise<void>
  /** Suspends all processes of the server until `resume`. */
  pause(): Promise<void>
  resume(): Promise<void>
  /** Promotes a standby to a primary. */
  promote(): Promise<void>
  /** Makes a running standby receive the WAL of another server. */
  follow(primary: ClusterServer): Promise<void>
  /** Starts a stopped server as a new standby, with a copy of a running primary. */
  rebuild(primary: ClusterServer): Promise<void>
  /** Runs a statement on a separate connection. */
  query<Row extends object>(sql: string): Promise<Row[]>
}

/** A primary and its standbys. */
export type ReplicatedCluster = {
  primary: ClusterServer
  standbys: ClusterServer[]
  close(): Promise<void>
}

const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  // A standby requires at least the value that its primary had when the folder was copied.
  max_connections: '400',
  shared_buffers: '64MB',
  // Tests kill the servers but not the machine.
  fsync: 'off',
  // Retains the WAL that a disconnected standby missed.
  wal_keep_size: '512MB',
  wal_receiver_status_interval: '1s',
  wal_retrieve_retry_interval: '200ms',
}

/**
 * Starts a primary with the template database that `cloneDatabase` copies, and standbys from copies
 * of its stopped data folder, because the bundled PostgreSQL has no pg_basebackup. If
 * `isSynchronous` is true, a commit waits until at least one standby has received it.
 */
export async function startReplicatedCluster(
  standbyCount: number,
  { isSynchronous = false } = {},
): Promise<ReplicatedCluster> {
  const root = await mkdtemp(join(tmpdir(), 'daikon-replication-'))
  const first = join(root, 'primary')
  const embedded = await startEmbedded({ dataDir: first })
  await createTemplateDatabase(embedded.url)
  await embedded.stop()
  const folders = Array.from({ length: standbyCount }, (_, index) => join(root, `standby_${index}`))
  const names = ['primary', ...folders.map((folder) => basename(folder))]
  const more = isSynchronous ? { synchronous_standby_names: `any 1 (${names})` } : {}
  const primary = await createServer(first, more)
  for (const folder of folders) {
    await mkdir(folder)
    await copyCluster(primary.folder, join(folder, 'postgres'))
    await configureStandby(join(folder, 'postgres'), primary.url)
  }
  await primary.start()
  const standbys = await Promise.all(folders.map((folder) => createServer(folder, more)))
  await Promise.all(standbys.map((standby) => standby.start()))
  return {
    primary,
    standbys,
    async close() {
      await Promise.all([primary, ...standbys].map((server) => server.kill()))
      await rm(root, { recursive: true, force: true })
    },
  }
}

/** Copies a data folder and preserves the owner of its files. */
async function copyCluster(from: string, to: string): Promise<void> {
  await promisify(execFile)('cp', ['-a', from, to])
}

/** Copies a data folder without the WAL files, which take most of the space. */
async function copyWithoutLog(from: string, to: string): Promise<void> {
  const { uid, gid } = await stat(from)
  for (const folder of [to, join(to, 'pg_wal')]) {
    await mkdir(folder, { mode: 0o700 })
    await chown(folder, uid, gid)
  }
  const names = (await readdir(from)).filter((name) => name !== 'pg_wal')
  await promisify(execFile)('cp', ['-a', ...names.map((name) => join(from, name)), to])
}

async function configureStandby(cluster: string, primaryUrl: string): Promise<void> {
  const configuration = join(cluster, 'postgresql.auto.conf')
  const name = basename(dirname(cluster))
  await writeFile(configuration, `primary_conninfo = '${connectionInfo(primaryUrl, name)}'\n`)
  await writeOwned(cluster, 'standby.signal', '')
}

/** Returns `primary_conninfo`. The primary identifies a synchronous standby by its name. */
function connectionInfo(primaryUrl: string, name: string): string {
  const { hostname, port, username, password } = new URL(primaryUrl)
  return `host=${hostname} port=${port} user=${username} password=${password} application_name=${name}`
}

/** Writes a file with the owner of the data folder. */
async function writeOwned(cluster: string, name: string, text: string): Promise<void> {
  const path = join(cluster, name)
  await writeFile(path, text)
  const { uid, gid } = await stat(join(cluster, 'PG_VERSION'))
  await chown(path, uid, gid)
}

async function createServer(dataDir: string, more: Record<string, string>): Promise<ClusterServer> {
  const cluster = join(dataDir, 'postgres')
  const programs = await findPrograms(dataDir, cluster)
  const password = await readFile(join(cluster, 'password'), 'utf8')
  const port = await findFreePort()
  const url = `postgresql://daikon:${password}@127.0.0.1:${port}/daikon`
  let processId: number | undefined
  let exited: Promise<unknown> = Promise.resolve()
  let endWatch = () => {}

  async function processes(): Promise<number[]> {
    if (processId === undefined) return []
    const { stdout } = await promisify(execFile)('ps', ['-e', '-o', 'pid=,ppid='])
    const children = stdout
      .trim()
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number))
      .flatMap(([pid, parent]) => (pid && parent === processId ? [pid] : []))
    return [processId, ...children]
  }

  async function signal(name: NodeJS.Signals) {
    for (const pid of await processes()) {
      try {
        process.kill(pid, name)
      } catch {
        // The process has just exited.
      }
    }
  }

  async function query<Row extends object>(sql: string): Promise<Row[]> {
    const timeouts = { connectionTimeoutMillis: 30_000, query_timeout: 90_000 }
    const client = new pg.Client({ connectionString: url, ...timeouts })
    client.on('error', () => {})
    await client.connect()
    try {
      return (await client.query<Row>(sql)).rows
    } finally {
      await client.end()
    }
  }

  async function start(): Promise<void> {
    await rm(join(cluster, 'postmaster.pid'), { force: true })
    await using output = await open(join(dataDir, 'postgres.log'), 'a')
    const all = { ...settings, ...more, cluster_name: basename(dataDir) }
    const options = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    const args = ['-D', cluster, '-p', String(port), ...options]
    const child = await programs.start(args, output.fd)
    exited = once(child, 'exit')
    processId = child.pid
    endWatch = watchOwner(cluster)
    const deadline = performance.now() + 60_000
    for (;;) {
      const isReady = await query('select 1').then(
        () => true,
        () => false,
      )
      if (isReady) return
      if (child.exitCode !== null || performance.now() > deadline) {
        throw new Error(await readFile(join(dataDir, 'postgres.log'), 'utf8'))
      }
      await sleep(20)
    }
  }

  return {
    url,
    folder: cluster,
    processes,
    query,
    start,
    async stop() {
      await programs.run('pg_ctl', ['stop', '-D', cluster, '-w', '-s', '-m', 'fast'])
      await exited
      endWatch()
      processId = undefined
    },
    async kill() {
      if (processId === undefined) return
      await signal('SIGKILL')
      await exited
      endWatch()
      processId = undefined
    },
    pause: () => signal('SIGSTOP'),
    resume: () => signal('SIGCONT'),
    async promote() {
      // Not with a statement: replay can cancel it.
      await programs.run('pg_ctl', ['promote', '-D', cluster, '-w', '-s'])
    },
    async follow(primary) {
      const name = basename(dataDir)
      await query(`alter system set primary_conninfo = '${connectionInfo(primary.url, name)}'`)
      await query('select pg_reload_conf()')
    },
    async rebuild(primary) {
      await rm(cluster, { recursive: true, force: true })
      // See https://www.postgresql.org/docs/current/continuous-archiving.html for base backups.
      const client = new pg.Client({ connectionString: primary.url })
      await client.connect()
      try {
        await client.query("select pg_backup_start('rebuild', true)")
        // Files may disappear during the copy, which a base backup permits.
        await copyWithoutLog(primary.folder, cluster).catch(() => {})
        const { rows } = await client.query<{ labelfile: string }>(
          'select labelfile from pg_backup_stop(false)',
        )
        await writeOwned(cluster, 'backup_label', rows[0]?.labelfile ?? '')
      } finally {
        await client.end()
      }
      await configureStandby(cluster, primary.url)
      await start()
    },
  }
}
