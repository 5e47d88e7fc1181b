import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
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
  /** Milliseconds from the start of the process until it listens. */
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

/** Starts a node, of the version in `folder`, and waits until it listens. */
export async function startNode(
  settings: Record<string, string>,
  folder = root,
): Promise<NodeProcess> {
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
      HTTP_PORT: '0',
      GRPC_PORT: '0',
      METRICS_PORT: '0',
      CONSOLE_ENABLED: 'false',
      RATE_LIMIT_ENABLED: 'false',
      ...settings,
    },
    stdio: ['ignore', 'pipe', process.env.FAULTS_LOG ? 'inherit' : 'ignore'],
  })
  if (process.env.FAULTS_LOG) child.stdout.pipe(process.stdout)
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
  const { httpPort, grpcPort } = await readPorts(child)
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

/** Returns the ports that a node has chosen, once it listens. */
async function readPorts(
  child: ChildProcess & { stdout: Readable },
): Promise<{ httpPort: number; grpcPort: number }> {
  const timeout = setTimeout(() => child.kill('SIGKILL'), 120_000)
  try {
    for await (const line of createInterface(child.stdout)) {
      const { msg, http_port, grpc_port } = line.startsWith('{') ? JSON.parse(line) : {}
      if (msg === 'daikon is listening') return { httpPort: http_port, grpcPort: grpc_port }
    }
    throw new Error('The node does not start')
  } finally {
    clearTimeout(timeout)
    // The rest is not kept, as it is by `launchServer` of the tests: the log has a line for each call of a load.
    child.stdout.resume()
  }
}
