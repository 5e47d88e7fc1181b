import cluster from 'node:cluster'
import type { Logger } from '../core/logger.ts'
import { createRateLimiter } from '../rate-limit/create-rate-limiter.ts'
import type { RateLimiter, RateLimitResult } from '../rate-limit/rate-limiter.ts'
import type { Config } from './config.ts'
import { type Node, startNode } from './node.ts'
import { createWorkerChannel, type ProcessChannel, type WorkerChannel } from './worker-channel.ts'

/** Starts one of the processes that share the ports. The primary process controls it. */
export async function startWorker(config: Config, log: Logger, onStopped: () => void) {
  const started = Promise.withResolvers<Node>()
  const channel = createWorkerChannel(cluster.worker as unknown as ProcessChannel, {
    ping: async () => {},
    metrics: async () => (await started.promise).metrics.registry.getMetricsAsJSON(),
    readiness: async () => (await started.promise).readReadiness(),
    reload: async () => (await started.promise).reload(),
    stopListening: async () => (await started.promise).stopListening(),
    async drain() {
      await (await started.promise).stop()
      // The response must be sent before the process exits.
      setImmediate(onStopped)
    },
  })
  const rateLimiter =
    config.REDIS_URL.length > 0
      ? createRateLimiter(config.REDIS_URL, log)
      : createPrimaryRateLimiter(channel)
  const node = await startNode(config, log, rateLimiter, {
    // The primary has connections that no worker has accepted yet.
    stopAccepting: async () => {
      await channel.request('stopAccepting')
    },
  })
  started.resolve(node)
  const { grpcPort, httpPort, consolePort } = node
  await channel.request('started', { grpcPort, httpPort, consolePort })
}

/**
 * Creates a rate limiter that counts in the primary, so that limits apply to the server as a whole
 * even without Redis.
 */
function createPrimaryRateLimiter({ request }: WorkerChannel): RateLimiter {
  return {
    take: (client, windows) => request('take', { client, windows }) as Promise<RateLimitResult>,
    degraded: false,
    close: async () => {},
  }
}
