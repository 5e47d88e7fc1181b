import { type ChildProcess, fork, spawn } from 'node:child_process'
import { type EventEmitter, once } from 'node:events'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { bundledPackages } from '../test/support/bundled-packages.ts'

/** A process of the benchmark that responds to each message with one message. */
export type BenchProcess = {
  pid: number
  /** Sends a message and waits for the response, for up to `seconds` plus three minutes. */
  request<ResponseMessage>(message: object, seconds?: number): Promise<ResponseMessage>
}

/**
 * The state of a server: its ports, CPU time in microseconds, memory in bytes, and number of
 * statements.
 */
export type ServerState = Ports & { cpu: number; rss: number; statements: number }

type Ports = { port: number; httpPort?: number }

/** A process may take minutes to start on a busy machine. */
const timeoutMs = 180_000

const running: ChildProcess[] = []

/** The folder in which each process writes a CPU profile. */
const profiles = process.env.BENCH_PROFILE
const profiling = profiles ? ['--cpu-prof', `--cpu-prof-dir=${profiles}`] : []

/** Starts a file in this folder, or at an absolute path, as a process. */
export function startBenchProcess(file: string, ...args: string[]): BenchProcess {
  const child = fork(resolve(import.meta.dirname, file), args, {
    // As in `npm start`. Keeps the objects of concurrent calls in the young generation.
    execArgv: ['--max-semi-space-size=32', ...bundledPackages, ...profiling],
  })
  running.push(child)
  return {
    pid: child.pid ?? 0,
    async request(message, seconds = 0) {
      child.send(message)
      return (await nextEvent(child, { emitter: child, event: 'message', seconds }))[0]
    },
  }
}

/** Starts a program that reads messages from standard input, one per line, and writes responses. */
export function startLineProcess(
  program: string,
  args: string[] = [],
  env: NodeJS.ProcessEnv = {},
): BenchProcess {
  const child = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  running.push(child)
  const lines = createInterface(child.stdout)
  return {
    pid: child.pid ?? 0,
    async request(message, seconds = 0) {
      child.stdin.write(`${JSON.stringify(message)}\n`)
      return JSON.parse((await nextEvent(child, { emitter: lines, event: 'line', seconds }))[0])
    },
  }
}

/**
 * Waits for an event. Throws if the process exits, or if `seconds` plus three minutes pass, before the
 * event.
 */
async function nextEvent(
  child: ChildProcess,
  { emitter, event, seconds }: { emitter: EventEmitter; event: string; seconds: number },
) {
  const settled = new AbortController()
  const signal = AbortSignal.any([settled.signal, AbortSignal.timeout(timeoutMs + seconds * 1000)])
  const ended = async () => {
    const [code, by] = await once(child, 'exit', { signal })
    // Messages that the process sent before can arrive after this event.
    if (child.connected) await once(child, 'disconnect', { signal })
    throw new Error(`${child.spawnargs.join(' ')} exited: ${code ?? by}`)
  }
  try {
    return await Promise.race([once(emitter, event, { signal }), ended()])
  } finally {
    settled.abort()
  }
}

/** Stops all processes, except those that write a profile, which exit by themselves, and waits for their exit. */
export async function stopBenchProcesses(): Promise<void> {
  const stopped = running.splice(0).map(async (child) => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    if (profiles && child.connected) child.disconnect()
    else child.kill()
    await exited
  })
  await Promise.all(stopped)
}

/** Makes a server respond to every message with its state, and exit with the benchmark. */
export function serveState(ports: Ports, statements = () => 0): void {
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    const { rss } = process.memoryUsage()
    process.send?.({ ...ports, rss, cpu: user + system, statements: statements() })
  })
  process.once('disconnect', () => process.exit())
}
