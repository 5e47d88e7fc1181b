import { setTimeout } from 'node:timers/promises'
import { Cluster, type ClusterOptions, Redis, type RedisOptions } from 'ioredis'
import type { RateLimiter } from './rate-limiter.ts'
import { summarize } from './result.ts'

// KEYS: a list of acceptance times for each window, oldest first, in microseconds.
// ARGV: the time ('' for the server's own), then limit and period for each window.
const lua = `
local now = tonumber(ARGV[1])
if not now then
  local time = redis.call('TIME')
  now = time[1] * 1000000 + time[2]
end
local allowed = 1
for i, key in ipairs(KEYS) do
  local limit, period = tonumber(ARGV[2 * i]), tonumber(ARGV[2 * i + 1])
  local oldest = tonumber(redis.call('LINDEX', key, 0))
  while oldest and oldest <= now - period do
    redis.call('LPOP', key)
    oldest = tonumber(redis.call('LINDEX', key, 0))
  end
  if redis.call('LLEN', key) >= limit then allowed = 0 end
end
local answer = { allowed }
for i, key in ipairs(KEYS) do
  local limit, period = tonumber(ARGV[2 * i]), tonumber(ARGV[2 * i + 1])
  if allowed == 1 then
    redis.call('RPUSH', key, string.format('%.0f', now))
    redis.call('PEXPIRE', key, math.ceil(period / 1000) + 1000)
  end
  local taken = redis.call('LLEN', key)
  local next = tonumber(redis.call('LINDEX', key, math.max(0, taken - limit))) or now
  answer[2 * i] = taken
  answer[2 * i + 1] = next + period - now
end
return answer
`

type Take = { take(keys: number, ...args: (string | number)[]): Promise<number[]> }

/** Counts in Redis, by its clock, for all nodes together; `take` rejects while Redis is away. */
export function createRedisRateLimiter({
  url,
  now,
}: {
  /** `redis://`, `rediss://`, or comma-separated nodes of a Redis Cluster. */
  url: string
  /** A clock in milliseconds instead of Redis's own. */
  now?: () => number
}): RateLimiter {
  const redis = open(url)
  redis.defineCommand('take', { lua })
  let lost: Error | undefined
  // Without a listener ioredis would throw; whoever takes next hears the reason.
  redis.on('error', (error: Error) => {
    lost = error
  })
  // ioredis may leave `connect` open for good, so the first requests wait for it this long at most.
  const attempted = Promise.race([
    redis.connect().catch((error: Error) => {
      lost ??= error
    }),
    setTimeout(connection.connectTimeout, undefined, { ref: false }),
  ])

  return {
    async take(client, windows) {
      await attempted
      if (redis.status !== 'ready') throw lost ?? new Error(`Redis: ${redis.status}`)
      // What is in braces decides the slot, so the windows of one client lie on one node.
      const keys = windows.map(({ name }) => `daikon:{limit:${client}}:${name}`)
      const bounds = windows.flatMap(({ limit, period }) => [limit, period * 1e6])
      const time = now ? Math.floor(now() * 1000) : ''
      const [allowed, ...numbers] = await (redis as unknown as Take).take(
        keys.length,
        ...keys,
        time,
        ...bounds,
      )
      const standings = windows.map((_, index) => ({
        taken: numbers[2 * index] as number,
        wait: numbers[2 * index + 1] as number,
      }))
      return summarize(windows, standings, allowed === 1)
    },
    degraded: false,
    async close() {
      redis.disconnect()
    },
  }
}

const retry = (times: number) => Math.min(times * 100, 1000)

// A late answer is worth less than none: nothing queues, nothing is sent twice.
const connection = {
  connectTimeout: 1000,
  commandTimeout: 250,
  socketTimeout: 2000,
  autoResendUnfulfilledCommands: false,
} satisfies RedisOptions

function open(url: string): Redis | Cluster {
  if (!url.includes(',')) {
    return new Redis(url, {
      ...connection,
      lazyConnect: true,
      enableOfflineQueue: false,
      retryStrategy: retry,
    })
  }
  const nodes = url
    .split(',')
    .map((node) => node.trim())
    .filter((node) => node !== '')
    .map((node) => new URL(node))
  const first = nodes[0]
  if (!first) throw new TypeError('no Redis node given')
  const tls = first.protocol === 'rediss:'
  const options: ClusterOptions = {
    lazyConnect: true,
    enableOfflineQueue: false,
    maxRedirections: 4,
    retryDelayOnFailover: 50,
    slotsRefreshTimeout: 1000,
    clusterRetryStrategy: retry,
    redisOptions: {
      ...connection,
      ...(first.username && { username: decodeURIComponent(first.username) }),
      ...(first.password && { password: decodeURIComponent(first.password) }),
      ...(tls && { tls: {} }),
    },
    // Names stay names under TLS, for a certificate is issued to them and not to an address.
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
