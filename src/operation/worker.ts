import cluster from 'node:cluster'
import type { Config } from '../config.ts'
import { createWindows } from '../limits/create-windows.ts'
import type { Verdict, Windows } from '../limits/windows.ts'
import type { Logger } from '../log.ts'
import { type Channel, createExchange, type Exchange } from './exchange.ts'
import { startNode } from './node.ts'

/** One of the processes that share the ports. It does as the primary says; signals are not for it. */
export async function startWorker(config: Config, log: Logger, onStopped: () => void) {
  const channel = cluster.worker as unknown as Channel
  const started = Promise.withResolvers<Awaited<ReturnType<typeof startNode>>>()
  const exchange = createExchange(channel, {
    metrics: async () => (await started.promise).metrics.registry.getMetricsAsJSON(),
    readiness: async () => (await started.promise).readReadiness(),
    async drain() {
      await (await started.promise).stop()
      // The answer has to be sent before the process ends.
      setImmediate(onStopped)
    },
  })
  const windows =
    config.REDIS_URL.length > 0 ? await createWindows(config, log) : askPrimary(exchange)
  const node = await startNode(config, log, windows)
  started.resolve(node)
  const { grpcPort, httpPort } = node
  await exchange.ask('started', { grpcPort, httpPort })
}

/** Without Redis the primary counts for all workers, so that the limits are those of one server. */
function askPrimary({ ask }: Exchange): Windows {
  return {
    take: (client, windows) => ask('take', { client, windows }) as Promise<Verdict>,
    degraded: false,
    close: async () => {},
  }
}
