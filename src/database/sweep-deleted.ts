import type { EntityManager } from '@mikro-orm/postgresql'
import { repeat } from '../core/repeat.ts'
import type { Database } from './database.ts'
import { query } from './query.ts'
import { inTransaction } from './transaction.ts'

/**
 * The maximum numbers of rows and of shares that one statement deletes, so that a step, which has at
 * most two, takes a fraction of a second.
 */
const maxRows = 500
const maxShares = 5000

/** Milliseconds between searches for deleted workspaces and trees. */
const interval = 5_000

const sweepTreeSql = 'select sweep_tree($1, $2, $3)'

/**
 * Up to $2 of the first resources of a workspace, $1, and for each what can be deleted without
 * detaching children: the resource itself if it has no children, or else its children that are no
 * parents. The latter is null if all its children are parents. Reads every row by index.
 */
const leavesOfFirst = `
with first as materialized (
  select id, parent_id, is_parent from resources where workspace_id = $1
  order by kind_id, resource_id limit $2
)
select first.id, leaf.id as leaf
from first left join lateral (
  select first.id where not (first.is_parent
    and exists (select from resources where parent_id = first.id offset 0))
  union all
  select * from (
    select id from resources where parent_id = first.id and not is_parent offset 0
  ) child
) leaf on true
where first.is_parent or (first.parent_id in (select id from first)) is not true
limit $2`

/**
 * The steps that delete the other rows of a workspace, in order. $1 workspace ID, $2 maximum number
 * of rows. A step is repeated until it returns no row. Members are deleted before groups, because a
 * group can have many of them.
 */
const workspaceSteps = [
  'select from sweep_members($1, $2) count where count > 0',
  `delete from custom_roles where id = any(array(
    select id from custom_roles where workspace_id = $1 limit $2
  )) returning id`,
  `delete from scim_users where workspace_id = $1 and user_id = any(array(
    select user_id from scim_users where workspace_id = $1 limit $2
  )) returning user_id`,
  `delete from groups where id = any(array(
    select id from groups where workspace_id = $1 limit $2
  )) returning id`,
  // Also deletes the rows that were inserted during the other steps.
  'delete from workspace_ids where $2::int > 0 and id = $1 returning id',
]

/**
 * Deletes up to twice `maxRows` rows of a deleted workspace or tree, the oldest first. Returns whether
 * there is more to delete; false if another node is sweeping. Every step is a transaction, so any
 * node can continue where another one ended.
 */
export async function sweepDeleted(database: Database): Promise<boolean> {
  return inTransaction(database.fork(), async (em) => {
    const [lock] = await query<{ acquired: boolean }>(
      em,
      "select pg_try_advisory_xact_lock(hashtext('daikon sweep of deleted rows')) as acquired",
    )
    if (!lock?.acquired) return false
    return (await sweepWorkspace(em)) || (await sweepTree(em))
  })
}

async function sweepWorkspace(em: EntityManager): Promise<boolean> {
  const sql = 'select id from deleted_workspaces order by deleted_at, id limit 1'
  const [workspace] = await query<{ id: string }>(em, sql)
  if (!workspace) return false
  if (await sweepResources(em, workspace.id)) return true
  for (const step of workspaceSteps) {
    const rows = await query(em, step, [workspace.id, maxRows])
    if (rows.length > 0) return true
  }
  return true
}

/**
 * Deletes resources of a workspace, parents after their children, because the foreign key would
 * detach all children of a parent in one statement. Returns whether there were any.
 */
async function sweepResources(em: EntityManager, workspaceId: string): Promise<boolean> {
  type Row = { id: string; leaf: string | null }
  const rows = await query<Row>(em, leavesOfFirst, [workspaceId, maxRows])
  const leaves = rows.flatMap(({ leaf }) => leaf ?? [])
  await query(em, 'select sweep_resources($1, $2)', [leaves, maxShares])
  // Trees of parents would otherwise remain at the beginning, where each step reads them.
  const tree = rows.find(({ leaf }) => leaf === null)
  if (tree) await query(em, sweepTreeSql, [tree.id, maxRows, maxShares])
  return rows.length > 0
}

async function sweepTree(em: EntityManager): Promise<boolean> {
  const sql = 'select id from deleted_trees order by deleted_at, id limit 1'
  const [tree] = await query<{ id: string }>(em, sql)
  if (!tree) return false
  await query(em, sweepTreeSql, [tree.id, maxRows, maxShares])
  return true
}

/** Sweeps every few seconds until stopped, and again immediately while rows remain. */
export function startSweepingDeleted(
  database: Database,
  onFailure: (error: unknown) => void,
): { stop(): Promise<void> } {
  return repeat(() => sweepDeleted(database), interval, onFailure)
}
