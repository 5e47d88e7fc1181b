import type { RateLimiter, RateLimitWindow } from './rate-limiter.ts'
import { summarize } from './result.ts'

/**
 * The times, in microseconds, at which requests of a client were allowed, oldest first. Those
 * before index `head` have expired.
 */
type Log = { times: number[]; head: number }

/**
 * The clients of a window. Every period, `current` becomes `previous` and the old `previous`, whose
 * clients have all expired, is dropped without visiting them one by one.
 */
type Generations = { since: number; current: Map<string, Log>; previous: Map<string, Log> }

/** Creates a rate limiter that keeps the clients of the last two periods in memory. */
export function createInProcessRateLimiter({
  now = () => performance.now(),
}: {
  /** A monotonic clock, in milliseconds. */
  now?: () => number
} = {}): RateLimiter & {
  /** The number of clients in memory, counted once per window name. */
  readonly size: number
} {
  const generationsByName = new Map<string, Generations>()

  const rotate = (window: RateLimitWindow, time: number): Generations => {
    let generations = generationsByName.get(window.name)
    if (!generations) {
      generations = { since: time, current: new Map(), previous: new Map() }
      generationsByName.set(window.name, generations)
    }
    const age = time - generations.since
    const period = window.period * 1e6
    if (age >= period) {
      generations.previous = age >= 2 * period ? new Map() : generations.current
      generations.current = new Map()
      generations.since = time
    }
    return generations
  }

  const take: RateLimiter['take'] = async (client, windows) => {
    const time = Math.floor(now() * 1000)
    const rows = windows.map((window) => {
      const generations = rotate(window, time)
      const log = generations.current.get(client) ??
        generations.previous.get(client) ?? { times: [], head: 0 }
      expire(log, time - window.period * 1e6)
      return { window, generations, log }
    })
    const allowed = rows.every(({ window, log }) => countRequests(log) < window.limit)
    if (allowed) {
      for (const { generations, log } of rows) {
        log.times.push(time)
        generations.current.set(client, log)
      }
    }
    const states = rows.map(({ window, log }) => {
      const count = countRequests(log)
      // If the limit has been lowered, more than one request may have to expire.
      const blocking = log.times[log.head + Math.max(0, count - window.limit)] ?? time
      return { count, wait: blocking + window.period * 1e6 - time }
    })
    return summarize(windows, states, allowed)
  }

  return {
    take,
    degraded: false,
    get size() {
      return [...generationsByName.values()].reduce(
        (sum, { current, previous }) => sum + new Set([...current.keys(), ...previous.keys()]).size,
        0,
      )
    },
    close: async () => generationsByName.clear(),
  }
}

function countRequests(log: Log): number {
  return log.times.length - log.head
}

/** Expires the requests up to `horizon`. Compacts the array once more than half has expired. */
function expire(log: Log, horizon: number) {
  while ((log.times[log.head] ?? Number.POSITIVE_INFINITY) <= horizon) log.head += 1
  if (log.head * 2 > log.times.length) {
    log.times.splice(0, log.head)
    log.head = 0
  }
}
