import type { Logger } from '../core/logger.ts'
import { createFallbackRateLimiter } from './fallback.ts'
import { createInProcessRateLimiter } from './in-process.ts'
import type { RateLimiter } from './rate-limiter.ts'
import { createRedisRateLimiter } from './redis.ts'

/**
 * Creates the rate limiter of a node. It counts in Redis, or in this process if no Redis is
 * configured or while Redis is unavailable.
 */
export function createRateLimiter(redisNodes: string[], log: Logger): RateLimiter {
  const local = createInProcessRateLimiter()
  if (redisNodes.length === 0) {
    log.info('REDIS_URL is empty: rate limits are counted in this process')
    return local
  }
  return createFallbackRateLimiter({
    shared: createRedisRateLimiter({ url: redisNodes.join(',') }),
    local,
    onDegraded: (error) =>
      log.warn({ err: error }, 'Redis is unavailable: rate limits are counted in this process'),
    onRecovered: () => log.info('Redis is available again: rate limits are counted in Redis'),
  })
}
