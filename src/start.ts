import type { Config } from './config.ts'
import { createWindows } from './limits/create-windows.ts'
import type { Logger } from './log.ts'
import { layGround } from './operation/ground.ts'
import type { Node } from './operation/node.ts'

/** A server that answers at both doors and at the operator's. */
export type Running = Pick<Node, 'app' | 'database' | 'grpcPort' | 'httpPort'> & {
  databaseUrl: string
  metricsPort: number
  /** Not ready at first, then the doors drain, then storage goes. */
  stop(): Promise<void>
}

/** Everything in this one process. */
export async function start(config: Config, log: Logger): Promise<Running> {
  // PostgreSQL starts while the rest of the code is read, which keeps this thread from starting it.
  const begun = Promise.withResolvers<void>()
  const laying = layGround(config, log, begun.resolve)
  await Promise.race([begun.promise, laying])
  const { startNode } = await import('./operation/node.ts')
  const ground = await laying
  const { databaseUrl } = ground
  try {
    const windows = await createWindows(config, log)
    const node = await startNode({ ...config, DATABASE_URL: databaseUrl }, log, windows)
    const { app, database, grpcPort, httpPort, metrics, readReadiness } = node
    try {
      const { startMonitor } = await import('./operation/monitor.ts')
      const readMetrics = () => metrics.registry.metrics()
      const at = { host: config.GRPC_HOST, port: config.METRICS_PORT }
      const monitor = await startMonitor({ ...at, readMetrics, readReadiness })
      return {
        ...{ app, database, databaseUrl, grpcPort, httpPort },
        metricsPort: monitor.port,
        async stop() {
          await node.stop()
          await monitor.stop()
          await ground.stop()
        },
      }
    } catch (error) {
      await node.stop()
      throw error
    }
  } catch (error) {
    await ground.stop()
    throw error
  }
}
