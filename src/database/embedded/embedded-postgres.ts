import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import * as fs from 'node:fs/promises'
import os from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { findFreePort } from '../../core/free-port.ts'
import { watchOwner } from './owner-watch.ts'
import {
  findPostmaster,
  findPrograms,
  haltPostmaster,
  lastLines,
  type Programs,
} from './postmaster.ts'

/** A PostgreSQL server that this process started. */
export type EmbeddedPostgres = {
  /** The URL of the database `daikon`, with the password. */
  url: string
  /** Shuts PostgreSQL down and waits until it has stopped. Repeated calls wait as well. */
  stop(): Promise<void>
}

type Installation = {
  dataDir: string
  cluster: string
  programs: Programs
  log: (message: string) => void
}

const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  // Enough for several nodes, which tests start side by side.
  max_connections: '400',
  // A quarter of the memory, as the PostgreSQL manual recommends, but at most 512 MB.
  shared_buffers: `${Math.round(Math.min(os.totalmem() / 4, 2 ** 29) / 2 ** 20)}MB`,
  // LOG ranks above ERROR here: starts and crashes are logged, failed statements are not.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
}

/**
 * The time that PostgreSQL has to accept connections, including recovery after a crash, in
 * milliseconds.
 */
const startTimeout = 120_000

/**
 * Starts the bundled PostgreSQL with its data in `dataDir`. It does not outlive this process: if
 * this process is killed, a watcher shuts it down.
 *
 * @example
 * const { url, stop } = await startEmbedded({ dataDir: './data' })
 *
 * @throws an Error with `code` DATA_DIR_IN_USE if another process uses `dataDir`
 */
export async function startEmbedded(options: {
  dataDir: string
  log?: (message: string) => void
}): Promise<EmbeddedPostgres> {
  await fs.mkdir(options.dataDir, { recursive: true })
  const dataDir = await fs.realpath(options.dataDir)
  await fs.access(dataDir, fs.constants.W_OK)
  const release = lock(dataDir)
  try {
    const cluster = join(dataDir, 'postgres')
    const programs = await findPrograms(dataDir, cluster)
    const { log = () => {} } = options
    const installation = { dataDir, cluster, programs, log }
    await createCluster(installation)
    const password = await fs.readFile(join(cluster, 'password'), 'utf8')
    const endWatch = watchOwner(cluster)
    const port = await startPostmaster(installation, password).catch((error) => {
      endWatch()
      throw error
    })
    const url = `postgresql://daikon:${password}@127.0.0.1:${port}/daikon`
    await writeUrl(dataDir, url)
    let stopped: Promise<void> | undefined
    const stop = () => {
      stopped ??= haltPostmaster(programs, cluster).finally(() => {
        endWatch()
        release()
      })
      return stopped
    }
    return { url, stop }
  } catch (error) {
    release()
    throw error
  }
}

/** Locks a file through SQLite. The operating system releases the lock when the process ends. */
function lock(dataDir: string): () => void {
  const file = new DatabaseSync(join(dataDir, 'owner.lock'), { timeout: 0 })
  try {
    file.exec('PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE')
  } catch (cause) {
    file.close()
    const busy = 5 // SQLITE_BUSY
    if ((cause as { errcode?: number }).errcode !== busy) throw cause
    const url = join(dataDir, 'database-url')
    const message =
      `Another process runs the embedded PostgreSQL of ${dataDir}. ` +
      `To use it, set DATABASE_URL to the URL in ${url}`
    throw Object.assign(new Error(message, { cause }), { code: 'DATA_DIR_IN_USE' })
  }
  return () => file.close()
}

/**
 * Creates the cluster and its password in a temporary directory, then moves it to its final path.
 */
async function createCluster({ dataDir, cluster, programs, log }: Installation): Promise<void> {
  for (const name of await fs.readdir(dataDir)) {
    if (!name.startsWith('postgres.new-')) continue
    // The initdb of a killed process may still be writing there. The next start removes the rest.
    await fs.rm(join(dataDir, name), { recursive: true, force: true }).catch(() => {})
  }
  if (existsSync(join(cluster, 'PG_VERSION'))) return
  log(`Creating a PostgreSQL cluster in ${cluster}`)
  const temporary = await fs.mkdtemp(join(dataDir, 'postgres.new-'))
  const data = join(temporary, 'data')
  const password = join(temporary, 'password')
  // pg_trgm takes character classes from the C library, and macOS has no C.UTF-8.
  const characterType = os.platform() === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8'
  try {
    await fs.writeFile(password, randomBytes(24).toString('base64url'), { mode: 0o600 })
    await changeOwner(temporary, programs)
    await programs.run('initdb', [
      `--pgdata=${data}`,
      '--username=daikon',
      '--auth=scram-sha-256',
      `--pwfile=${password}`,
      '--encoding=UTF8',
      '--locale=C',
      `--lc-ctype=${characterType}`,
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
      '--no-instructions',
    ])
    await fs.rename(password, join(data, 'password'))
    await fs.rename(data, cluster)
  } finally {
    await fs.rm(temporary, { recursive: true, force: true })
  }
}

/**
 * Makes the user that PostgreSQL runs as the owner of a directory. The directory itself is changed
 * last, because its owner indicates whether all of its files have been changed.
 */
async function changeOwner(folder: string, { owner }: Programs): Promise<void> {
  if (!owner || (await fs.stat(folder)).uid === owner.uid) return
  for (const name of [...(await fs.readdir(folder, { recursive: true })), '.']) {
    await fs.lchown(join(folder, name), owner.uid, owner.gid)
  }
}

/** Starts PostgreSQL on a free port. Retries, because another process may take the port first. */
async function startPostmaster(installation: Installation, password: string): Promise<number> {
  const { cluster, programs, log } = installation
  if ((await findPostmaster(cluster)) !== undefined) {
    log('Stopping the PostgreSQL that a killed process left running')
    await haltPostmaster(programs, cluster)
  }
  // Process IDs are reused, so PostgreSQL could mistake an unrelated process for a postmaster.
  await fs.rm(join(cluster, 'postmaster.pid'), { force: true })
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await launch(installation, password)
    } catch (error) {
      if (attempt === 3) throw error
    }
  }
}

async function launch({ dataDir, cluster, programs, log }: Installation, password: string) {
  await changeOwner(cluster, programs)
  const port = await findFreePort()
  const args = ['-D', cluster, '-p', String(port)]
  for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`)
  await using logFile = await fs.open(join(dataDir, 'postgres.log'), 'a', 0o600)
  const { size } = await logFile.stat()
  const child = await programs.start(args, logFile.fd)
  child.unref()
  try {
    await waitUntilReady(port, password, () => child.exitCode === null && child.signalCode === null)
  } catch (cause) {
    child.kill('SIGINT')
    const output = (await fs.readFile(join(dataDir, 'postgres.log'))).subarray(size)
    throw new Error(`PostgreSQL did not start: ${lastLines(`${output}\n${cause}`)}`, { cause })
  }
  child.once('exit', (code, signal) => {
    if (code !== 0) log(`PostgreSQL exited (${code ?? signal})`)
  })
  return port
}

/** Waits until PostgreSQL accepts the password. Creates the database if it does not exist. */
async function waitUntilReady(
  port: number,
  password: string,
  isRunning: () => boolean | Promise<boolean>,
): Promise<void> {
  const connection = { host: '127.0.0.1', port, user: 'daikon', password, database: 'postgres' }
  const deadline = Date.now() + startTimeout
  for (;;) {
    const client = new Client({ ...connection, ssl: false, connectionTimeoutMillis: 5000 })
    client.on('error', () => {})
    try {
      await client.connect()
      const { rowCount } = await client.query("SELECT FROM pg_database WHERE datname = 'daikon'")
      if (rowCount === 0) await client.query('CREATE DATABASE daikon')
      return
    } catch (error) {
      const { code } = error as { code?: string }
      const isStarting = code === 'ECONNREFUSED' || code === '57P03' // cannot_connect_now
      if (!isStarting || Date.now() > deadline || !(await isRunning())) throw error
    } finally {
      await client.end().catch(() => {})
    }
    await sleep(20)
  }
}

async function writeUrl(dataDir: string, url: string): Promise<void> {
  const file = join(dataDir, 'database-url')
  await fs.writeFile(`${file}.new`, `${url}\n`, { mode: 0o600 })
  await fs.rename(`${file}.new`, file)
}
