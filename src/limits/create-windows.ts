import type { Config } from '../config.ts'
import type { Logger } from '../log.ts'
import { createFallbackWindows } from './fallback.ts'
import { createInProcessWindows } from './in-process.ts'
import type { Windows } from './windows.ts'

/** Limits are counted in Redis where there is one, in this process otherwise and meanwhile. */
export async function createWindows(
  { REDIS_URL: nodes }: Pick<Config, 'REDIS_URL'>,
  log: Logger,
): Promise<Windows> {
  const local = createInProcessWindows()
  if (nodes.length > 0) {
    const { createRedisWindows } = await import('./redis.ts')
    return createFallbackWindows({
      shared: createRedisWindows({ url: nodes.join(',') }),
      local,
      onDegraded: (reason) =>
        log.warn({ err: reason }, 'Redis fails: limits are counted in this process'),
      onRecovered: () => log.info('Redis is back: limits are counted there again'),
    })
  }
  log.info('REDIS_URL is empty: limits are counted in this process')
  return local
}
