import { setTimeout } from 'node:timers/promises'
import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis'
import type { RateLimiter } from './rate-limiter.ts'
import { summarize } from './result.ts'

// KEYS: per window, a list of the times at which requests were allowed, oldest first.
// ARGV: the time, or '' to use the clock of Redis, then limit and period per window.
// Returns whether the request is allowed, then count and wait per window.
// All times are in microseconds.
const lua = `
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
end
local allowed = 1
for i, key in ipairs(KEYS) do
  local limit, period = tonumber(ARGV[2 * i]), tonumber(ARGV[2 * i + 1])
  local first = redis.pcall('LINDEX', key, 0)
  if type(first) == 'table' and first.err then
    -- Something else has written a value of another type.
    redis.call('DEL', key)
    first = nil
  end
  local oldest = tonumber(first)
  while oldest and oldest <= now - period do
    redis.call('LPOP', key)
    oldest = tonumber(redis.call('LINDEX', key, 0))
  end
  if redis.call('LLEN', key) >= limit then allowed = 0 end
end
local result = { allowed }
for i, key in ipairs(KEYS) do
  local limit, period = tonumber(ARGV[2 * i]), tonumber(ARGV[2 * i + 1])
  if allowed == 1 then
    redis.call('RPUSH', key, string.format('%.0f', now))
    redis.call('PEXPIRE', key, math.ceil(period / 1000) + 1000)
  end
  local count = redis.call('LLEN', key)
  local blocking = tonumber(redis.call('LINDEX', key, math.max(0, count - limit))) or now
  result[2 * i] = count
  result[2 * i + 1] = blocking + period - now
end
return result
`

type TakeCommand = { take(keys: number, ...args: (string | number)[]): Promise<number[]> }

/** Creates a rate limiter whose counts all nodes share. `take` throws if Redis is unavailable. */
export function createRedisRateLimiter({
  url,
  now,
  timeouts = shortTimeouts,
}: {
  /** `redis://`, `rediss://`, or comma-separated nodes of a Redis Cluster. */
  url: string
  /** Replaces the clock of Redis in tests. Returns milliseconds. */
  now?: () => number
  timeouts?: Timeouts
}): RateLimiter {
  const redis = createClient(url, timeouts)
  redis.defineCommand('take', { lua })
  // The next `take` throws the error. Without a listener, ioredis would print it to the console.
  let lastError: Error | undefined
  redis.on('error', (error: Error) => {
    lastError = error
  })
  // The first requests wait for the connection. `connect` may never settle, hence the timeout.
  const connecting = Promise.race([
    redis.connect().catch((error: Error) => {
      lastError ??= error
    }),
    setTimeout(timeouts.connectTimeout, undefined, { ref: false }),
  ])

  return {
    async take(client, windows) {
      await connecting
      if (redis.status !== 'ready')
        throw lastError ?? new Error(`The connection to Redis is not ready: ${redis.status}`)
      // The hash tag in braces places all windows of a client in one hash slot of a cluster.
      const keys = windows.map(({ name }) => `daikon:{limit:${client}}:${name}`)
      const limits = windows.flatMap(({ limit, period }) => [limit, period * 1e6])
      const time = now ? Math.floor(now() * 1000) : ''
      const [allowed, ...numbers] = await (redis as unknown as TakeCommand).take(
        keys.length,
        ...keys,
        time,
        ...limits,
      )
      const states = windows.map((_, index) => ({
        count: numbers[2 * index] as number,
        wait: numbers[2 * index + 1] as number,
      }))
      return summarize(windows, states, allowed === 1)
    },
    degraded: false,
    async close() {
      redis.disconnect()
    },
  }
}

/** Returns the milliseconds until the next connection attempt. */
const retryDelay = (attempts: number) => Math.min(attempts * 100, 1000)

/** Milliseconds. */
type Timeouts = { connectTimeout: number; commandTimeout: number; socketTimeout: number }

/** Failing fast is better than a late result. */
const shortTimeouts: Timeouts = { connectTimeout: 1000, commandTimeout: 250, socketTimeout: 2000 }

function createClient(url: string, timeouts: Timeouts): Redis | Cluster {
  // Commands are neither queued nor repeated.
  const connectionOptions: RedisOptions = { ...timeouts, autoResendUnfulfilledCommands: false }
  if (!url.includes(',')) {
    return new Redis(url, {
      ...connectionOptions,
      lazyConnect: true,
      enableOfflineQueue: false,
      retryStrategy: retryDelay,
    })
  }
  const nodes = url
    .split(',')
    .map((node) => node.trim())
    .filter((node) => node !== '')
    .map((node) => new URL(node))
  const first = nodes[0]
  if (!first) throw new TypeError('The list of Redis nodes is empty')
  const tls = first.protocol === 'rediss:'
  const options: ClusterOptions = {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRedirections: 4,
    retryDelayOnFailover: 50,
    slotsRefreshTimeout: timeouts.connectTimeout,
    clusterRetryStrategy: retryDelay,
    redisOptions: {
      ...connectionOptions,
      ...(first.username && { username: decodeURIComponent(first.username) }),
      ...(first.password && { password: decodeURIComponent(first.password) }),
      ...(tls && { tls: {} }),
    },
    // Connects by host name, because TLS verifies it against the certificate.
    ...(tls && { dnsLookup: (address, done) => done(null, address) }),
  }
  return new Cluster(
    nodes.map(({ hostname, port }) => ({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: Number(port || 6379),
    })),
    options,
  )
}
