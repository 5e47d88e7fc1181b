import type { Pool } from 'pg'

/** Returns the activity events of one target, oldest first. */
export async function listActivity(pool: Pool, targetId: string): Promise<Record<string, any>[]> {
  const { rows } = await pool.query(
    `select action, target_type, actor_id, workspace_id, detail from activity
     where target_id = $1 order by id`,
    [targetId],
  )
  return rows
}
