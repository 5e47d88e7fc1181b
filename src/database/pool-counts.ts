import type { Pool } from 'pg'

/** Connections of a pool, and the callers who wait for one. */
export type PoolCounts = { used: number; idle: number; waiting: number }

/** How a pool stands now. */
export function poolCounts({ totalCount, idleCount, waitingCount }: Pool): PoolCounts {
  return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount }
}
