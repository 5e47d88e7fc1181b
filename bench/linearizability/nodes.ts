import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findFreePort } from '../../src/core/free-port.ts'
import type { ProxiedServer } from './faults.ts'

const root = join(import.meta.dirname, '../..')

const startTimeout = 180_000

/** A node of daikon in its own process. */
export type Node = { pid: number; grpcPort: number; metricsPort: number }

type NodeOptions = {
  /** The folder that contains the signing keys and receives the log. */
  folder: string
  /** Each server can be the primary or a replica, because a failover changes their roles. */
  servers: ProxiedServer[]
  /** Whether checks and lists are read from the standbys, rather than from the primary. */
  hasReplicas: boolean
  /** A module in this folder that breaks the protocol. */
  brokenBy: string | undefined
  /** Receives a function that kills the process, which may not be ready yet. */
  onSpawn: (kill: () => unknown) => void
}

/** Starts a node and waits until it is ready. */
export async function startNode(options: NodeOptions): Promise<Node> {
  const { folder, servers, hasReplicas, brokenBy, onSpawn } = options
  const preloaded = brokenBy ? ['--import', join(import.meta.dirname, brokenBy)] : []
  const urls = servers.map(({ proxy }) => proxy.url)
  const hosts = urls.map((url) => new URL(url).host)
  const [first = ''] = urls
  const [grpcPort, httpPort, metricsPort] = [
    await findFreePort(),
    await findFreePort(),
    await findFreePort(),
  ]
  const output = openSync(join(folder, `node-${grpcPort}.log`), 'w')
  const child = spawn(
    process.execPath,
    // As in `npm start`.
    ['--max-semi-space-size=32', ...preloaded, 'src/main.ts'],
    {
      cwd: root,
      env: {
        PATH: process.env.PATH,
        NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
        GRPC_HOST: '127.0.0.1',
        GRPC_PORT: String(grpcPort),
        HTTP_HOST: '127.0.0.1',
        HTTP_PORT: String(httpPort),
        METRICS_PORT: String(metricsPort),
        CONSOLE_ENABLED: 'false',
        JWT_PRIVATE_KEY_PATH: join(folder, 'private.pem'),
        JWT_PUBLIC_KEY_PATH: join(folder, 'public.pem'),
        DATABASE_URL: `${first.replace(hosts[0] as string, hosts.join())}?target_session_attrs=read-write`,
        REPLICA_URLS: hasReplicas ? urls.join() : '',
        RATE_LIMIT_ENABLED: 'false',
        // Logging every call would dominate the work of the nodes.
        LOG_LEVEL: 'warn',
      },
      stdio: ['ignore', output, output],
    },
  )
  onSpawn(() => child.kill('SIGKILL'))
  const exited = once(child, 'exit').then(([code, signal]) => {
    throw new Error(`A node exited: ${code ?? signal}`)
  })
  await Promise.race([waitUntilReady(metricsPort), exited])
  exited.catch(() => {})
  return { pid: child.pid as number, grpcPort, metricsPort }
}

export async function waitUntilReady(metricsPort: number): Promise<void> {
  const deadline = performance.now() + startTimeout
  for (;;) {
    const isReady = await fetch(`http://127.0.0.1:${metricsPort}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return
    if (performance.now() > deadline) throw new Error('A node is not ready')
    await sleep(50)
  }
}
