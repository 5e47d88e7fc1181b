import type { EntityManager } from '@mikro-orm/postgresql'
import { type Job, moreIf } from '../core/job.ts'
import type { Database } from './database.ts'
import { query } from './query.ts'
import { inTransaction } from './transaction.ts'

/** The maximum numbers of rows and of shares that one step deletes, so that it takes a fraction of a second. */
const maxRows = 500
const maxShares = 5000

/** The number of deleted rows and shares after which a step begins no other tree. */
const enoughRows = 2500

/** Milliseconds between searches for deleted workspaces and trees. */
const interval = 5_000

/**
 * The steps that delete the rows of a workspace once its resources are gone, in order. $1 workspace
 * ID, $2 maximum number of rows. A step is repeated until it returns no row. Members are deleted
 * before groups, because a group can have many of them.
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
  if (await sweepResources(em, workspace.id)) return true
  for (const step of workspaceSteps) {
    const rows = await query(em, step, [workspace.id, maxRows])
    if (rows.length > 0) return true
  }
  return true
}

/**
 * Deletes the first resources of a workspace, and the trees of those that are parents, and returns
 * whether there were any. Reads no more rows than it deletes, even if all parents come first.
 */
async function sweepResources(em: EntityManager, workspaceId: string): Promise<boolean> {
  const resources = await query<{ id: string; is_parent: boolean }>(
    em,
    `select id, is_parent from resources where workspace_id = $1
     order by kind_id, resource_id limit $2`,
    [workspaceId, maxRows],
  )
  const leaves = resources.filter(({ is_parent }) => !is_parent).map(({ id }) => id)
  let deleted = 0
  if (leaves.length > 0)
    deleted = await runCounted(em, 'select sweep_resources($1, $2) as count', [leaves, maxShares])
  for (const { id, is_parent } of resources) {
    if (deleted >= enoughRows) break
    if (is_parent) deleted += await sweepTreeOf(em, id)
  }
  return resources.length > 0
}

async function sweepTree(em: EntityManager): Promise<boolean> {
  const sql = 'select id from deleted_trees order by deleted_at, id limit 1'
  const [tree] = await query<{ id: string }>(em, sql)
  if (!tree) return false
  await sweepTreeOf(em, tree.id)
  return true
}

/** Deletes rows of the tree of a resource, and returns how many. */
function sweepTreeOf(em: EntityManager, root: string): Promise<number> {
  const sql = 'select sweep_tree($1, $2, $3) as count'
  return runCounted(em, sql, [root, maxRows, maxShares])
}

async function runCounted(em: EntityManager, sql: string, values: unknown[]): Promise<number> {
  const [swept] = await query<{ count: number }>(em, sql, values)
  return swept?.count ?? 0
}

/** Sweeps every few seconds, and again immediately while rows remain. */
export function createDeletedSweepJob(database: Database): Job {
  return {
    failure: 'Deleting rows of deleted workspaces failed',
    interval,
    run: async () => moreIf(await sweepDeleted(database)),
  }
}
