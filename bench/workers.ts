import type { BenchDatabase } from './bench-database.ts'
import type { BenchProcess } from './child-process.ts'

/** MAX_FACTS_CACHE_BYTES of workers with a cache. Large enough for all checks of a benchmark. */
export const factsCacheBytes = 128 * 1024 * 1024

/**
 * Starts the server with two worker processes that share its port, by passing workers-server.ts and
 * its arguments to `start`. Unless `maxFactsCacheBytes` is 0, they cache facts in memory.
 */
export function startWorkers(
  start: (file: string, ...args: string[]) => BenchProcess,
  { url, keyPaths: { privatePath, publicPath } }: Pick<BenchDatabase, 'url' | 'keyPaths'>,
  maxFactsCacheBytes: number,
): BenchProcess {
  const bytes = String(maxFactsCacheBytes)
  return start('workers-server.ts', url, privatePath, publicPath, '2', bytes)
}
