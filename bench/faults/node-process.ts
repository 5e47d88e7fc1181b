import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '../../src/core/free-port.ts'
import { readRegistry } from '../../src/rpc/descriptors.ts'
import { createOperations } from '../../src/rpc/operation.ts'
import { createHandlers } from '../../src/server/handlers.ts'
import { bundledPackages, bundleVariables } from '../../test/support/bundled-packages.ts'
import { createTransports } from '../../test/support/create-transports.ts'
import type { Transport } from '../../test/support/transports.ts'

/** A process of the real server, started like `npm start` with its own settings. */
export type NodeProcess = {
  transports: Transport[]
  httpPort: number
  grpcPort: number
  /** Milliseconds from the start of the process to its first response. */
  startupMilliseconds: number
  /** Returns the resident memory in MiB. */
  memory(): number
  /** Whether the process is running and responding. */
  isAlive(): Promise<boolean>
  kill(): Promise<void>
  stop(): Promise<void>
}

const root = join(import.meta.dirname, '../..')
const operations = createOperations(
  readRegistry(),
  createHandlers({ database: {}, services: { engine: {} }, settings: {} } as never),
)

/** Creates both transports for a node that runs in another process. */
export function connectToNode(ports: { grpcPort: number; httpPort: number }): Transport[] {
  return createTransports({ operations }, ports)
}

/** Starts a node, of the version in `folder`, and waits until it responds. */
export async function startNode(
  settings: Record<string, string>,
  folder = root,
): Promise<NodeProcess> {
  const httpPort = Number(settings.HTTP_PORT ?? (await findFreePort()))
  const grpcPort = Number(settings.GRPC_PORT ?? (await findFreePort()))
  const startedAt = performance.now()
  // Other versions have other packages.
  const preloaded = folder === root ? bundledPackages : []
  const child = spawn(process.execPath, [...preloaded, join(folder, 'src/main.ts')], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      ...bundleVariables,
      HTTP_HOST: '127.0.0.1',
      GRPC_HOST: '127.0.0.1',
      HTTP_PORT: `${httpPort}`,
      GRPC_PORT: `${grpcPort}`,
      METRICS_PORT: '0',
      CONSOLE_ENABLED: 'false',
      LOG_LEVEL: 'error',
      RATE_LIMIT_ENABLED: 'false',
      ...settings,
    },
    stdio: [
      'ignore',
      process.env.FAULTS_LOG ? 'inherit' : 'ignore',
      process.env.FAULTS_LOG ? 'inherit' : 'ignore',
    ],
  })
  const hasExited = () => child.exitCode !== null || child.signalCode !== null
  const end = async (signal: NodeJS.Signals) => {
    for (const transport of transports) transport.close()
    if (hasExited()) return
    const exit = once(child, 'exit')
    child.kill(signal)
    await exit
  }
  const killToo = () => child.kill('SIGKILL')
  process.once('exit', killToo)
  child.once('exit', () => process.off('exit', killToo))
  const isHealthy = () =>
    fetch(`http://127.0.0.1:${httpPort}/health`, { signal: AbortSignal.timeout(5000) }).then(
      ({ ok }) => ok,
      () => false,
    )
  while (!(await isHealthy())) {
    if (hasExited() || performance.now() - startedAt > 120_000) {
      child.kill('SIGKILL')
      throw new Error('The node does not start')
    }
    await sleep(10)
  }
  const startupMilliseconds = performance.now() - startedAt
  const transports = createTransports({ operations }, { grpcPort, httpPort }, folder !== root)
  return {
    transports,
    httpPort,
    grpcPort,
    startupMilliseconds,
    memory() {
      const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
      return Number(/VmRSS:\s*(\d+)/.exec(status)?.[1]) / 1024
    },
    isAlive: async () => !hasExited() && (await isHealthy()),
    kill: () => end('SIGKILL'),
    stop: () => end('SIGTERM'),
  }
}
