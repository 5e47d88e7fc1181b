import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '../../database/query.ts'
import { inTransaction } from '../../database/transaction.ts'

/** The most recorded changes that one call deletes. */
export const maxPrunedChanges = 10_000

/** How long changes are kept at least. A node that reads them more rarely starts with an empty cache. */
const retention = '1 minute'

/** Transactions before this one have ended. */
const oldestRunning = 'pg_snapshot_xmin(pg_current_snapshot())'

/**
 * In a database that was restored from a dump, the horizons are of another server. `least` then keeps the
 * changes that this one records.
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

/** Deletes recorded changes that no node needs any more, and returns how many. */
export async function pruneAccessChanges(em: EntityManager): Promise<number> {
  return inTransaction(em, async (em) => {
    await query(em, moveHorizonSql)
    const [result] = await query<{ count: number }>(em, pruneSql)
    return result?.count ?? 0
  })
}
