import { createHash } from 'node:crypto'
import type { Pool } from 'pg'

/** The objects of a lane, which no other lane uses. */
export type LaneData = {
  /** The user whose access is read. */
  user: string
  email: string
  /** The owner of the workspace and of the resource. */
  owner: string
  workspace: string
  resource: string
}

/** Returns the objects of the nth lane. */
export function laneData(lane: number): LaneData {
  return {
    user: idOf('user', lane),
    email: `user-${lane}@example.com`,
    owner: idOf('owner', lane),
    workspace: idOf('workspace', lane),
    resource: idOf('resource', lane),
  }
}

/** Equal to `md5(sort || n)::uuid` in SQL. */
function idOf(sort: string, n: number): string {
  const hex = createHash('md5').update(`${sort}${n}`).digest('hex')
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** Inserts users, workspaces and memberships of the lanes from 1 on. The resources are registered by the lanes. */
export async function createLaneData(pool: Pool, lanes: number): Promise<void> {
  await pool.query(
    `insert into users (id, name, email)
      select md5(sort || n)::uuid, sort, sort || '-' || n || '@example.com'
      from generate_series(1, $1::int) n, unnest(array['user', 'owner']) sort`,
    [lanes],
  )
  await pool.query(
    `insert into workspaces (id, name, slug)
      select md5('workspace' || n)::uuid, 'lane', 'lane-' || n from generate_series(1, $1::int) n`,
    [lanes],
  )
  await pool.query(
    `insert into members (workspace_id, user_id, role, joined_at)
      select md5('workspace' || n)::uuid, md5(sort || n)::uuid, role, now()
      from generate_series(1, $1::int) n,
        (values ('user', 'viewer'), ('owner', 'owner')) member (sort, role)`,
    [lanes],
  )
}
