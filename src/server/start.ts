import type { Logger } from '../core/logger.ts'
import { createRateLimiter } from '../rate-limit/create-rate-limiter.ts'
import { writeAddresses } from './address-file.ts'
import { bootstrap } from './bootstrap.ts'
import type { Config } from './config.ts'
import { type Node, type NodeOptions, startNode } from './node.ts'
import { startOpsServer } from './ops-server.ts'
import { requirePorts } from './ports.ts'

/** A running server, including the server for operators. */
export type RunningServer = Pick<
  Node,
  'application' | 'database' | 'grpcPort' | 'httpPort' | 'featurePorts'
> & {
  databaseUrl: string
  metricsPort: number
  /** Replaces the signing keys and certificates if they have changed. */
  reload(): Promise<void>
  /** Reports that the node is not ready, drains both transports, then closes the database. */
  stop(): Promise<void>
  /** Kills the processes that would outlive this one. */
  kill(): void
}

type StartOptions = NodeOptions & {
  /** Runs on the migrated database before the server accepts calls. */
  prepare?: (databaseUrl: string) => Promise<void>
}

/** Starts a server that consists of a single process. */
export async function start(
  config: Config,
  log: Logger,
  { prepare, ...nodeOptions }: StartOptions = {},
): Promise<RunningServer> {
  await requirePorts(config)
  const { databaseUrl, stop: stopDatabase } = await bootstrap(config, log)
  try {
    await prepare?.(databaseUrl)
    const rateLimiter = createRateLimiter(config.REDIS_URL, log)
    const nodeConfig = { ...config, DATABASE_URL: databaseUrl }
    const node = await startNode(nodeConfig, log, rateLimiter, nodeOptions)
    try {
      const opsServer = await startOpsServer({
        host: config.GRPC_HOST,
        port: config.METRICS_PORT,
        readMetrics: () => node.metrics.registry.metrics(),
        readReadiness: node.readReadiness,
      })
      const removeAddresses = writeAddresses(config, node.grpcPort)
      return {
        application: node.application,
        database: node.database,
        databaseUrl,
        grpcPort: node.grpcPort,
        httpPort: node.httpPort,
        featurePorts: node.featurePorts,
        metricsPort: opsServer.port,
        reload: node.reload,
        async stop() {
          removeAddresses()
          await node.stop()
          await opsServer.stop()
          await stopDatabase()
        },
        kill() {},
      }
    } catch (error) {
      await node.stop()
      throw error
    }
  } catch (error) {
    await stopDatabase()
    throw error
  }
}
