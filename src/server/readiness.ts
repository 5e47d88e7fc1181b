import type { ControlConnection } from '../database/control-connection.ts'
import type { Database } from '../database/database.ts'
import type { ReplicaStatus } from '../database/replicas/replica-choice.ts'
import type { RateLimiter } from '../rate-limit/rate-limiter.ts'

/** Whether a node accepts calls, and the state of its dependencies. */
export type Readiness = {
  ready: boolean
  database: 'ok' | 'away'
  /** If `away` or `none`, rate limits are counted in memory instead of in Redis. */
  redis: 'ok' | 'away' | 'none'
  /** Whether any service key, or none, is accepted because no service app is active. */
  development_mode: boolean
  draining: boolean
  /**
   * Seconds that the clock of this process is ahead of the clock of PostgreSQL, when it was last
   * compared; negative if it is behind.
   */
  clock_offset_seconds: number
  /** The status of each replica; absent without replicas. Replicas do not affect `ready`. */
  replicas?: Record<string, ReplicaStatus>
}

type ReadinessOptions = {
  control: Pick<ControlConnection, 'probe'>
  rateLimiter: Pick<RateLimiter, 'degraded'>
  replicas?: Database['replicas']
  hasRedis: boolean
  keysRequired: boolean
}

/** Milliseconds for which the result of a probe is reused. */
const probeLifetime = 1000

/**
 * Creates the readiness of a node. `read` probes the database at most once a second. After `drain`,
 * the node is not ready.
 */
export function createReadiness(options: ReadinessOptions): {
  read(): Promise<Readiness>
  drain(): void
} {
  let isDraining = false
  let developmentMode = false
  let clockOffset = 0
  let lastProbe: { at: number; database: Promise<Readiness['database']> } | undefined

  async function probeDatabase(): Promise<Readiness['database']> {
    try {
      const probe = await options.control.probe()
      developmentMode = !probe.hasActiveApps && !options.keysRequired
      clockOffset = probe.clockOffset
      return 'ok'
    } catch {
      return 'away'
    }
  }

  return {
    async read() {
      const at = performance.now()
      if (!lastProbe || at - lastProbe.at > probeLifetime)
        lastProbe = { at, database: probeDatabase() }
      const database = await lastProbe.database
      const redis = options.rateLimiter.degraded ? 'away' : 'ok'
      return {
        ready: database === 'ok' && !isDraining,
        database,
        redis: options.hasRedis ? redis : 'none',
        development_mode: developmentMode,
        draining: isDraining,
        clock_offset_seconds: clockOffset,
        ...(options.replicas && { replicas: readReplicas(options.replicas) }),
      }
    },
    drain() {
      isDraining = true
    },
  }
}

function readReplicas({ state }: NonNullable<Database['replicas']>): Record<string, ReplicaStatus> {
  return Object.fromEntries(state().replicas.map(({ name, status }) => [name, status]))
}
