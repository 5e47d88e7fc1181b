import type { EntityManager } from '@mikro-orm/postgresql'
import type { WorkspaceMemberResponse } from '../../gen/daikon/v1/workspaces.ts'
import { ServiceError } from '../core/errors.ts'
import { isoTime, type Timestamp } from '../database/sql-values.ts'

/** A membership's row with what is known of the person. */
export type MemberRow = Omit<WorkspaceMemberResponse, 'status' | 'joined_at'> & {
  joined_at: Timestamp | null
}

/** Memberships with their people; `where` follows. */
export const memberSql = `
  select m.user_id, m.workspace_id, u.email, u.name, u.avatar_url, m.role, m.joined_at
  from members m join users u on u.id = m.user_id`

/** A membership as it goes out: an invited person shows their address alone. */
export function viewMember({ joined_at, ...row }: MemberRow): WorkspaceMemberResponse {
  if (joined_at === null) return { ...row, name: '', avatar_url: '', status: 'invited' }
  return { ...row, status: 'active', joined_at: isoTime(joined_at) }
}

/** One membership, if it is there. */
export async function findMember(
  em: EntityManager,
  workspaceId: string,
  userId: string,
): Promise<WorkspaceMemberResponse | undefined> {
  const sql = `${memberSql} where m.workspace_id = ? and m.user_id = ?`
  const [row] = await em.execute<MemberRow[]>(sql, [workspaceId, userId])
  return row && viewMember(row)
}

/** One membership, which must be there. */
export async function requireMember(
  em: EntityManager,
  workspaceId: string,
  userId: string,
): Promise<WorkspaceMemberResponse> {
  const member = await findMember(em, workspaceId, userId)
  if (member) return member
  throw new ServiceError('not_found', 'MEMBER_NOT_FOUND', 'Member not found')
}
