import type { Control } from '../database/control.ts'
import type { RateLimiter } from '../rate-limit/rate-limiter.ts'

/** Whether a node takes calls, and how what it stands on is doing. */
export type Readiness = {
  ready: boolean
  database: 'ok' | 'away'
  /** Limits are counted in this process where there is none, and while it is away. */
  redis: 'ok' | 'away' | 'none'
  /** No service app is active: every key and none passes. */
  development_mode: boolean
  draining: boolean
}

type ReadinessParts = {
  control: Pick<Control, 'hasActiveApps'>
  rateLimiter: Pick<RateLimiter, 'degraded'>
  hasRedis: boolean
  keysRequired: boolean
}

/** How long an answer of PostgreSQL's stands, in milliseconds. */
const freshness = 1000

/** Finds out about readiness when asked, at most once a second; from `drain` on it is not ready. */
export function createReadiness(parts: ReadinessParts): {
  read(): Promise<Readiness>
  drain(): void
} {
  let draining = false
  let developmentMode = false
  let last: { at: number; database: Promise<Readiness['database']> } | undefined

  async function probe(): Promise<Readiness['database']> {
    try {
      developmentMode = !(await parts.control.hasActiveApps()) && !parts.keysRequired
      return 'ok'
    } catch {
      return 'away'
    }
  }

  return {
    async read() {
      const at = performance.now()
      if (!last || at - last.at > freshness) last = { at, database: probe() }
      const database = await last.database
      const redis = parts.rateLimiter.degraded ? 'away' : 'ok'
      return {
        ready: database === 'ok' && !draining,
        database,
        redis: parts.hasRedis ? redis : 'none',
        development_mode: developmentMode,
        draining,
      }
    },
    drain() {
      draining = true
    },
  }
}
