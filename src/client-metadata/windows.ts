import { createHash } from 'node:crypto'
import type { RateLimiter } from '../rate-limit/rate-limiter.ts'

/** Who causes a fetch, of which client, from which host. */
export type Fetch = { userId: string; clientUrl: string; hostname: string }

const limits = { person: 10, client: 6, host: 10 }

/**
 * Counts fetches, so that nobody uses the server to send requests to others. Each returns undefined if a fetch
 * is admitted, or the seconds to wait.
 */
export type FetchWindows = {
  /** Counts a fetch for the person who causes it. */
  takeForPerson(fetch: Fetch): Promise<number | undefined>
  /** Counts a fetch for the client and its host. */
  takeForClient(fetch: Fetch): Promise<number | undefined>
}

/** Creates the windows, which admit everything if `isOff`. */
export function createFetchWindows(
  rateLimiter: Pick<RateLimiter, 'take'>,
  isOff: boolean,
): FetchWindows {
  async function take(kind: keyof typeof limits, of: string): Promise<number | undefined> {
    if (isOff) return undefined
    // A digest, because URLs are longer than the names that clients have in Redis.
    const client = createHash('sha256').update(of).digest('base64url')
    const window = { name: `client-metadata-${kind}`, limit: limits[kind], period: 60 }
    const { allowed, retryAfter } = await rateLimiter.take(client, [window])
    return allowed ? undefined : retryAfter
  }
  return {
    takeForPerson: ({ userId }) => take('person', userId),
    takeForClient: async ({ clientUrl, hostname }) =>
      (await take('client', clientUrl)) ?? (await take('host', hostname)),
  }
}
