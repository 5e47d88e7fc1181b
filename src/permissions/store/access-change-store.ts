import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '../../database/query.ts'
import { inTransaction } from '../../database/transaction.ts'

/** The maximum number of recorded changes that one call of `prune` deletes. */
export const maxPrunedChanges = 10_000

/**
 * The minimum time for which changes are retained. A node that reads them less often discards its
 * cache at each read.
 */
const retention = '1 minute'

/** The changes by which nodes recognize outdated facts in memory. Triggers record them. */
export class AccessChangeStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Records that everything changed. Every node then drops its facts in memory. */
  async recordEverything(): Promise<void> {
    await query(this.#em, 'insert into access_changes default values')
  }

  /** Deletes changes that are past their retention, and returns how many it deleted. */
  async prune(): Promise<number> {
    return inTransaction(this.#em, async (em) => {
      await query(em, moveHorizonSql)
      const [result] = await query<{ count: number }>(em, pruneSql)
      return result?.count ?? 0
    })
  }
}

/** The oldest running transaction: all earlier ones have ended. */
const oldestRunning = 'pg_snapshot_xmin(pg_current_snapshot())'

/**
 * In a database restored from a dump, the horizons come from another server and may be ahead of
 * this one. `least` prevents them from deleting changes that nodes still need.
 */
const moveHorizonSql = `
update access_changes_horizon
set pruned_before = least(next_horizon, ${oldestRunning}), next_horizon = ${oldestRunning}, noted_at = now()
where noted_at <= now() - interval '${retention}'`

const pruneSql = `
with deleted as (
  delete from access_changes where ctid = any(array(
    select ctid from access_changes
    where transaction < (select least(pruned_before, ${oldestRunning}) from access_changes_horizon)
    limit ${maxPrunedChanges}
  )) returning 1
)
select count(*)::int as count from deleted`
