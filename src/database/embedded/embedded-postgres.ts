import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import * as fs from 'node:fs/promises'
import { createServer } from 'node:net'
import os from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import {
  findPostmaster,
  findPrograms,
  haltPostmaster,
  lastLines,
  type Programs,
} from './postmaster.ts'

/** A running PostgreSQL of our own. */
export type Embedded = {
  /** Where the database `daikon` is, with the password. */
  url: string
  /** Shuts PostgreSQL down and waits for its end; a second call waits for the same end. */
  stop(): Promise<void>
}

type Place = {
  home: string
  cluster: string
  programs: Programs
  log: (message: string) => void
  onLaunched: () => void
}

const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '100',
  // A quarter of the memory, as its manual advises, up to what large data sets gain by.
  shared_buffers: `${Math.round(Math.min(os.totalmem() / 4, 2 ** 29) / 2 ** 20)}MB`,
  // LOG ranks above ERROR: starts and crashes are told, statements that fail are not.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
}

/** The longest wait for PostgreSQL to accept connections, recovery after a crash included. */
const patience = 120_000

/**
 * Starts PostgreSQL on the folder `dataDir`, or adopts the one that a killed process left there.
 * Fails with the code DATA_DIR_IN_USE while another process has it.
 */
export async function startEmbedded(options: {
  dataDir: string
  log?: (message: string) => void
  /** Hears when PostgreSQL has been started and all that is left is to wait for it. */
  onLaunched?: () => void
}): Promise<Embedded> {
  await fs.mkdir(options.dataDir, { recursive: true })
  const home = await fs.realpath(options.dataDir)
  await fs.access(home, fs.constants.W_OK)
  const release = lock(home)
  try {
    const cluster = join(home, 'postgres')
    const programs = await findPrograms(home, cluster)
    const { log = () => {}, onLaunched = () => {} } = options
    const place = { home, cluster, programs, log, onLaunched }
    await createCluster(place)
    const password = await fs.readFile(join(cluster, 'password'), 'utf8')
    const port = await findPort(place, password)
    const url = `postgresql://daikon:${password}@127.0.0.1:${port}/daikon`
    await writeUrl(home, url)
    let stopped: Promise<void> | undefined
    const stop = () => {
      stopped ??= haltPostmaster(programs, cluster).finally(release)
      return stopped
    }
    return { url, stop }
  } catch (error) {
    release()
    throw error
  }
}

/** A lock of the file system by way of SQLite: it ends with the process, however that ends. */
function lock(home: string): () => void {
  const file = new DatabaseSync(join(home, 'owner.lock'), { timeout: 0 })
  try {
    file.exec('PRAGMA journal_mode = OFF; BEGIN EXCLUSIVE')
  } catch (cause) {
    file.close()
    const busy = 5 // SQLITE_BUSY
    if ((cause as { errcode?: number }).errcode !== busy) throw cause
    const url = join(home, 'database-url')
    const message =
      `Another process runs the embedded PostgreSQL of ${home}: ` +
      `to use that one, set DATABASE_URL to the URL in ${url}`
    throw Object.assign(new Error(message, { cause }), { code: 'DATA_DIR_IN_USE' })
  }
  return () => file.close()
}

/** Makes the cluster with its password aside and moves it in place in one step. */
async function createCluster({ home, cluster, programs, log }: Place): Promise<void> {
  for (const name of await fs.readdir(home)) {
    if (!name.startsWith('postgres.new-')) continue
    // The initdb of a killed process may still write there: what stays now goes the next time.
    await fs.rm(join(home, name), { recursive: true, force: true }).catch(() => {})
  }
  if (existsSync(join(cluster, 'PG_VERSION'))) return
  log(`creating a PostgreSQL cluster in ${cluster}`)
  const aside = await fs.mkdtemp(join(home, 'postgres.new-'))
  const data = join(aside, 'data')
  const password = join(aside, 'password')
  // The characters' classes come from the C library, for pg_trgm; macOS lacks C.UTF-8.
  const characters = os.platform() === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8'
  try {
    await fs.writeFile(password, randomBytes(24).toString('base64url'), { mode: 0o600 })
    await give(aside, programs)
    await programs.run('initdb', [
      ...['-D', data, '-U', 'daikon', '-A', 'scram-sha-256', '--pwfile', password],
      ...['--encoding=UTF8', '--locale=C', `--lc-ctype=${characters}`, '--no-instructions'],
      ...['--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    ])
    await fs.rename(password, join(data, 'password'))
    await fs.rename(data, cluster)
  } finally {
    await fs.rm(aside, { recursive: true, force: true })
  }
}

/** Gives a folder to the user that PostgreSQL runs as; the folder itself last, as it is asked. */
async function give(folder: string, { owner }: Programs): Promise<void> {
  if (!owner || (await fs.stat(folder)).uid === owner.uid) return
  for (const name of [...(await fs.readdir(folder, { recursive: true })), '.']) {
    await fs.lchown(join(folder, name), owner.uid, owner.gid)
  }
}

/** Tries again: a free port may be taken, a killed process's postmaster may be just starting. */
async function findPort(place: Place, password: string): Promise<number> {
  for (let attempt = 1; ; attempt++) {
    try {
      return (await adopt(place, password)) ?? (await launch(place, password))
    } catch (error) {
      if (attempt === 3) throw error
    }
  }
}

async function adopt({ cluster, programs, log }: Place, password: string) {
  const port = await findPostmaster(cluster)
  if (port === undefined) {
    // Process ids come round again: PostgreSQL would take a stranger's for a postmaster's.
    await fs.rm(join(cluster, 'postmaster.pid'), { force: true })
    return undefined
  }
  try {
    await accept(port, password, async () => (await findPostmaster(cluster)) === port)
    log(`adopted the PostgreSQL that was left running on port ${port}`)
    return port
  } catch (error) {
    log(`stopping the PostgreSQL that was left running: ${error}`)
    await haltPostmaster(programs, cluster)
    return undefined
  }
}

async function launch({ home, cluster, programs, log, onLaunched }: Place, password: string) {
  await give(cluster, programs)
  const port = await findFreePort()
  const args = ['-D', cluster, '-p', String(port)]
  for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`)
  await using output = await fs.open(join(home, 'postgres.log'), 'a', 0o600)
  const { size } = await output.stat()
  const child = await programs.start(args, output.fd)
  child.unref()
  onLaunched()
  try {
    await accept(port, password, () => child.exitCode === null && child.signalCode === null)
  } catch (cause) {
    child.kill('SIGINT')
    const said = (await fs.readFile(join(home, 'postgres.log'))).subarray(size)
    throw new Error(`PostgreSQL did not start: ${lastLines(`${said}\n${cause}`)}`, { cause })
  }
  child.once('exit', (code, signal) => {
    if (code !== 0) log(`PostgreSQL ended (${code ?? signal})`)
  })
  return port
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  return typeof address === 'object' && address ? address.port : 0
}

/** Waits while it is `running` until PostgreSQL takes our password; sees to the database, too. */
async function accept(
  port: number,
  password: string,
  running: () => boolean | Promise<boolean>,
): Promise<void> {
  const address = { host: '127.0.0.1', port, user: 'daikon', password, database: 'postgres' }
  const deadline = Date.now() + patience
  for (;;) {
    const client = new Client({ ...address, ssl: false, connectionTimeoutMillis: 5000 })
    client.on('error', () => {})
    try {
      await client.connect()
      const found = await client.query("SELECT FROM pg_database WHERE datname = 'daikon'")
      if (found.rowCount === 0) await client.query('CREATE DATABASE daikon')
      return
    } catch (error) {
      const { code } = error as { code?: string }
      const early = code === 'ECONNREFUSED' || code === '57P03' // cannot_connect_now
      if (!early || Date.now() > deadline || !(await running())) throw error
    } finally {
      await client.end().catch(() => {})
    }
    await sleep(20)
  }
}

async function writeUrl(home: string, url: string): Promise<void> {
  const file = join(home, 'database-url')
  await fs.writeFile(`${file}.new`, `${url}\n`, { mode: 0o600 })
  await fs.rename(`${file}.new`, file)
}
