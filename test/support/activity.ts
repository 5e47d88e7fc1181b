import type { Pool } from 'pg'

/**
 * Returns the activity events of one target, oldest first, without the registration of a resource,
 * which almost every test of resources begins with.
 */
export async function listActivity(pool: Pool, targetId: string): Promise<Record<string, any>[]> {
  const { rows } = await pool.query(
    `select action, target_type, actor_id, workspace_id, detail from activity
     where target_id = $1 and action <> 'permission.registered' order by id`,
    [targetId],
  )
  return rows
}
