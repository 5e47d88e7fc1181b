import type { EntityManager } from '@mikro-orm/postgresql'
import { repeat } from '../core/repeat.ts'
import type { Database } from './database.ts'
import { query } from './query.ts'
import { inTransaction } from './transaction.ts'

/** The maximum numbers of rows and of shares that one step deletes, so that it takes a fraction of a second. */
const maxRows = 500
const maxShares = 5000

/** Milliseconds between searches for deleted workspaces and trees. */
const interval = 5_000

/**
 * The steps that delete the rows of a workspace, in order. $1 workspace ID, $2 maximum number of
 * rows, $3 maximum number of shares. A step is repeated until it returns no row. Parents are
 * detached before they are deleted, because the foreign key would detach all children of a parent in
 * one statement. Members are deleted before groups, because a group can have many of them.
 */
const workspaceSteps = [
  `select from (
    select sweep_resources(array(
      select id from resources where workspace_id = $1 and not is_parent
      order by kind_id, resource_id limit $2
    ), $3) as count
  ) swept where count > 0`,
  `update resources set parent_id = null where $3::int > 0 and id = any(array(
    select id from resources where workspace_id = $1 and parent_id is not null limit $2
  )) returning id`,
  `select from (
    select sweep_resources(array(
      select id from resources where workspace_id = $1 order by kind_id, resource_id limit $2
    ), $3) as count
  ) swept where count > 0`,
  'select from sweep_members($1, $2) count where count > 0 and $3::int > 0',
  `delete from custom_roles where $3::int > 0 and id = any(array(
    select id from custom_roles where workspace_id = $1 limit $2
  )) returning id`,
  `delete from scim_users where $3::int > 0 and workspace_id = $1 and user_id = any(array(
    select user_id from scim_users where workspace_id = $1 limit $2
  )) returning user_id`,
  `delete from groups where $3::int > 0 and id = any(array(
    select id from groups where workspace_id = $1 limit $2
  )) returning id`,
  // Also deletes the rows that were inserted during the other steps.
  'delete from workspace_ids where $3::int > 0 and $2::int > 0 and id = $1 returning id',
]

/**
 * Deletes up to `maxRows` rows of a deleted workspace or tree, the oldest first. Returns whether
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
  for (const step of workspaceSteps) {
    const rows = await query(em, step, [workspace.id, maxRows, maxShares])
    if (rows.length > 0) return true
  }
  return true
}

async function sweepTree(em: EntityManager): Promise<boolean> {
  const sql = 'select id from deleted_trees order by deleted_at, id limit 1'
  const [tree] = await query<{ id: string }>(em, sql)
  if (!tree) return false
  await query(em, 'select sweep_tree($1, $2, $3)', [tree.id, maxRows, maxShares])
  return true
}

/** Sweeps every few seconds until stopped, and again immediately while rows remain. */
export function startSweepingDeleted(
  database: Database,
  onFailure: (error: unknown) => void,
): { stop(): Promise<void> } {
  return repeat(() => sweepDeleted(database), interval, onFailure)
}
