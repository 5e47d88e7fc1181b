import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import type { ExecutionContext } from 'ava'

export const isPgBouncerInstalled =
  process.platform === 'linux' && spawnSync('pgbouncer', ['--version']).status === 0
if (!isPgBouncerInstalled) console.info('PgBouncer is not installed: it is not tested')

let started = 0

/** Starts PgBouncer before the server of a database URL, and returns the URL through it. */
export async function startPgBouncer(
  t: Pick<ExecutionContext, 'teardown'>,
  databaseUrl: string,
  poolMode: 'session' | 'transaction',
  options = '',
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'daikon-pgbouncer-'))
  // PgBouncer does not run as root.
  chmodSync(folder, 0o755)
  const { hostname, port, username, password, pathname } = new URL(databaseUrl)
  started += 1
  // An address of this process, because PgBouncer cannot choose a free port by itself.
  const { pid } = process
  const address = [127, 64 | (pid >> 16), (pid >> 8) & 255, pid & 255].join('.')
  const ownPort = 6432 + started
  const file = join(folder, 'pgbouncer.ini')
  writeFileSync(
    file,
    `[databases]
* = host=${hostname} port=${port} user=${username} password=${decodeURIComponent(password)}
[pgbouncer]
listen_addr = ${address}
listen_port = ${ownPort}
unix_socket_dir =
auth_type = any
pool_mode = ${poolMode}
default_pool_size = 60
${options}
`,
  )
  const user = userInfo().uid === 0 ? ['-u', 'nobody'] : []
  const child = spawn('pgbouncer', [...user, file], { stdio: ['ignore', 'ignore', 'pipe'] })
  t.teardown(() => {
    child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })
  let output = ''
  child.stderr.setEncoding('utf8')
  const exited = once(child, 'exit').then(() => {
    throw new Error(`PgBouncer exited: ${output}`)
  })
  const listening = new Promise<void>((resolve) => {
    child.stderr.on('data', (text: string) => {
      output += text
      if (/process up/.test(output)) resolve()
    })
  })
  exited.catch(() => {})
  await Promise.race([listening, exited])
  return `postgresql://${username}:${password}@${address}:${ownPort}${pathname}`
}
