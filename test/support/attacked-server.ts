import { readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import {
  type BenchProcess,
  startBenchProcess,
  stopBenchProcesses,
} from '../../bench/child-process.ts'
import { cpuTimeOf } from '../../bench/cpu-time.ts'
import {
  createFaultEnvironment,
  type FaultEnvironment,
} from '../../bench/faults/fault-environment.ts'
import { connectToNode } from '../../bench/faults/node-process.ts'
import { cloneDatabase } from './database.ts'
import type { NeighbourJob, NeighbourSample } from './neighbour-process.ts'
import { type ServerProcess, startServer } from './server-process.ts'
import type { Transport } from './transports.ts'
import { createWorkspaceFixture } from './workspace-fixture.ts'

/** The heap of the server in MiB. With it, the server stays below the memory limit of the chart. */
const heap = 600

/** What an attacker receives: the ports of the server, and the options of the attack. */
export type AttackTarget<Options = unknown> = {
  grpcPort: number
  httpPort: number
  consolePort: number
  metricsPort: number
  options: Options
}

/** The effect of an attack on the server and on the neighbour. */
export type AttackEffect<Result = unknown> = {
  /** What the attacker returned. */
  result: Result
  isRunning: boolean
  /** The CPU time of the server, in seconds, including the time that it spent on the neighbour. */
  cpuSeconds: number
  /** The resident memory of the server, in MiB. */
  memory: { before: number; peak: number; after: number }
  neighbour: NeighbourSample
}

/**
 * A server with a small heap, and a neighbour that calls it all the time. The server, the neighbour
 * and each attacker run in processes of their own, so that none of them delays another.
 */
export type AttackedServer = {
  process: ServerProcess
  environment: FaultEnvironment
  /**
   * Runs a function that `file` exports in an attacker process, with an AttackTarget. Returns its
   * effect once the neighbour's calls have ended. The function returns what JSON can represent.
   */
  attack<Result>(
    file: URL,
    name: string,
    options?: object & { seconds?: number },
  ): Promise<AttackEffect<Result>>
  /** The CPU time of the server, in seconds. */
  cpuSeconds(): number
  /** The resident memory of the server, in MiB. */
  memory(): number
  stop(): Promise<void>
}

/** Starts a server and its neighbour on a new database. Rate limits are off by default. */
export async function startAttackedServer(
  settings: Record<string, string> = {},
): Promise<AttackedServer> {
  const database = await cloneDatabase()
  const environment = await createFaultEnvironment(database.url)
  const cleanups: (() => unknown)[] = []
  const server = await startServer(
    { teardown: (cleanup) => void cleanups.push(cleanup) },
    tmpdir(),
    {
      LOG_LEVEL: 'info',
      RATE_LIMIT_ENABLED: 'false',
      NODE_OPTIONS: `--max-old-space-size=${heap}`,
      ...environment.settings,
      ...settings,
    },
  )
  const { grpcPort, httpPort, consolePort, metricsPort } = server
  const ports = { grpcPort, httpPort, consolePort, metricsPort }
  const pid = Number(server.child.pid)
  const neighbour = await startNeighbour(environment, ports)
  const cpuSeconds = () => cpuTimeOf(pid) / 1e6
  const memory = () => readMemory(pid, 'VmRSS')

  return {
    process: server,
    environment,
    cpuSeconds,
    memory,
    async attack<Result>(file: URL, name: string, options: object & { seconds?: number } = {}) {
      const attacker = startBenchProcess('../test/support/attacker-process.ts')
      await attacker.request({ file: file.href, name })
      await neighbour.request({})
      resetPeak(pid)
      const before = memory()
      const cpuBefore = cpuSeconds()
      const target: AttackTarget = { ...ports, options }
      const result = await attacker.request<Result>(target, options.seconds)
      const sample = await neighbour.request<NeighbourSample>({})
      const isRunning = server.child.exitCode === null && server.child.signalCode === null
      return {
        result,
        isRunning,
        cpuSeconds: isRunning ? cpuSeconds() - cpuBefore : Number.NaN,
        memory: {
          before,
          peak: isRunning ? readMemory(pid, 'VmHWM') : Number.NaN,
          after: isRunning ? memory() : Number.NaN,
        },
        neighbour: sample,
      }
    },
    async stop() {
      await stopBenchProcesses()
      for (const cleanup of cleanups) cleanup()
      await server.exited
      await environment.close()
      await database.drop()
    },
  }
}

/** Starts a client in another workspace, and waits until it calls the server. */
async function startNeighbour(
  environment: FaultEnvironment,
  ports: { grpcPort: number; httpPort: number },
): Promise<BenchProcess> {
  const transports = connectToNode(ports)
  const [grpc] = transports as [Transport]
  const { people, kind, key, register } = await createWorkspaceFixture(environment, grpc)
  const { resource_id } = await register(people.owner)
  for (const transport of transports) transport.close()
  const neighbour = startBenchProcess('../test/support/neighbour-process.ts')
  const check = { ...kind, resource_id, action: 'view' }
  const job: NeighbourJob = { ...ports, owner: people.owner, key, check }
  await neighbour.request(job)
  return neighbour
}

/** Reads the current (`VmRSS`) or the highest (`VmHWM`) memory of a process in MiB. */
function readMemory(pid: number, field: 'VmRSS' | 'VmHWM'): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8')
  return Number(new RegExp(`${field}:\\s*(\\d+)`).exec(status)?.[1]) / 1024
}

/** Makes the highest memory of a process start from its current one (proc(5), clear_refs). */
function resetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

/** Formats an effect for the log of a test. */
export function formatEffect({
  result,
  isRunning,
  cpuSeconds,
  memory,
  neighbour,
}: AttackEffect): string {
  const { calls, failed, p50, p99, slowest } = neighbour
  return [
    isRunning ? 'running' : 'EXITED',
    `${cpuSeconds.toFixed(2)} s of CPU`,
    `${[memory.before, memory.peak, memory.after].map(Math.round).join(', ')} MiB`,
    `neighbour: ${calls} calls, failed ${JSON.stringify(failed)}`,
    `p50 ${p50.toFixed(0)} ms, p99 ${p99.toFixed(0)} ms, slowest ${slowest.toFixed(0)} ms`,
    `attacker: ${JSON.stringify(result)}`,
  ].join('; ')
}
