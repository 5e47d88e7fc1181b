import type { RateLimiter, RateLimitWindow } from './rate-limiter.ts'
import { summarize } from './result.ts'

/** Times of acceptance in microseconds, oldest first; those before `head` have expired. */
type Log = { times: number[]; head: number }

/** The clients of one window, in two generations, so that expired ones go without a search. */
type Generations = { turned: number; current: Map<string, Log>; previous: Map<string, Log> }

/** Counts in the memory of this process, which holds the clients of two periods at most. */
export function createInProcessRateLimiter({
  now = () => performance.now(),
}: {
  /** A clock in milliseconds that never goes back. */
  now?: () => number
} = {}): RateLimiter & { readonly size: number } {
  const names = new Map<string, Generations>()

  /** Whoever was last accepted two turns ago is out of every window, so that map goes as a whole. */
  const turn = (window: RateLimitWindow, at: number): Generations => {
    const kept = names.get(window.name) ?? { turned: at, current: new Map(), previous: new Map() }
    const age = at - kept.turned
    const period = window.period * 1e6
    if (age >= period) {
      kept.previous = age >= 2 * period ? new Map() : kept.current
      kept.current = new Map()
      kept.turned = at
    }
    names.set(window.name, kept)
    return kept
  }

  const take: RateLimiter['take'] = async (client, windows) => {
    const at = Math.floor(now() * 1000)
    const rows = windows.map((window) => {
      const clients = turn(window, at)
      const log = clients.current.get(client) ??
        clients.previous.get(client) ?? { times: [], head: 0 }
      expire(log, at - window.period * 1e6)
      return { window, clients, log }
    })
    const allowed = rows.every(({ window, log }) => countTaken(log) < window.limit)
    if (allowed) {
      for (const { clients, log } of rows) {
        log.times.push(at)
        clients.current.set(client, log)
      }
    }
    const standings = rows.map(({ window, log }) => {
      // More are taken than the limit only after it was lowered: then several must expire.
      const next = log.times[log.head + Math.max(0, countTaken(log) - window.limit)] ?? at
      return { taken: countTaken(log), wait: next + window.period * 1e6 - at }
    })
    return summarize(windows, standings, allowed)
  }

  return {
    take,
    degraded: false,
    /** How many logs are held, over all names. */
    get size() {
      return [...names.values()].reduce(
        (sum, { current, previous }) => sum + new Set([...current.keys(), ...previous.keys()]).size,
        0,
      )
    },
    close: async () => names.clear(),
  }
}

const countTaken = (log: Log) => log.times.length - log.head

/** Forgets what was accepted up to `horizon`; the array is cut only when half of it is dead. */
function expire(log: Log, horizon: number) {
  while ((log.times[log.head] ?? Number.POSITIVE_INFINITY) <= horizon) log.head += 1
  if (log.head * 2 > log.times.length) {
    log.times.splice(0, log.head)
    log.head = 0
  }
}
