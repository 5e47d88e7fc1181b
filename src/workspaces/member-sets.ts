import type { EntityManager } from '@mikro-orm/postgresql'
import type { Acknowledgement } from '../../gen/daikon/v1/acknowledgement.ts'
import type { DeleteResponse } from '../../gen/daikon/v1/workspaces.ts'
import { actorOf, recordActivity } from '../activity/record-activity.ts'
import { ServiceError } from '../core/errors.ts'
import type { WriteContext } from '../core/request-context.ts'
import { violates } from '../database/database-errors.ts'
import { isoTime, type Timestamp } from '../database/sql-values.ts'
import { addDirectMembers, removeDirectMember } from './group-hierarchy.ts'
import {
  deleteRoleMember,
  findSetMembers,
  insertRoleMember,
  type MemberSetKind,
} from './queries.ts'

/** A group or custom role, whose members belong to its workspace. */
export type MemberSet = { kind: MemberSetKind; id: string; workspace_id: string; name: string }

/** Lists the direct members of a set, by user ID. The profiles of invited users are hidden. */
export async function listSetMembers<Member extends { added_at?: string | undefined }>(
  em: EntityManager,
  kind: MemberSetKind,
  id: string,
): Promise<Member[]> {
  type Row = Omit<Member, 'added_at'> & { added_at: Timestamp }
  const rows = await findSetMembers<Row>(em, kind, id)
  return rows.map((row) => ({ ...row, added_at: isoTime(row.added_at) }) as unknown as Member)
}

/** Adds a member of the set's workspace to the set. Idempotent. Requires a transaction. */
export async function addSetMember(
  { em, principal }: WriteContext,
  set: MemberSet,
  userId: string,
): Promise<Acknowledgement> {
  const { kind, id, workspace_id, name } = set
  const added = await insertMember(em, set, userId).catch((error) => {
    // A foreign key ensures that only members of a workspace can be in its sets.
    throw violates(error, 'foreign') ? memberNotFound() : error
  })
  if (added) {
    await recordActivity(em, actorOf(principal), {
      action: `${kind}.member_added` as const,
      targetId: id,
      workspaceId: workspace_id,
      detail: { name, user_id: added },
    })
  }
  return { status: 'ok' }
}

/** Removes a member from a set. Requires a transaction. */
export async function removeSetMember(
  { em, principal }: WriteContext,
  set: MemberSet,
  userId: string,
): Promise<DeleteResponse> {
  const { kind, id, workspace_id, name } = set
  const removed = await deleteMember(em, set, userId)
  if (!removed) throw memberNotFound()
  await recordActivity(em, actorOf(principal), {
    action: `${kind}.member_removed` as const,
    targetId: id,
    workspaceId: workspace_id,
    detail: { name, user_id: removed },
  })
  return {}
}

async function insertMember(
  em: EntityManager,
  { kind, id, workspace_id }: MemberSet,
  userId: string,
): Promise<string | undefined> {
  const workspaceId = workspace_id
  if (kind === 'role') return insertRoleMember(em, { roleId: id, workspaceId, userId })
  const [added] = await addDirectMembers(em, [{ groupId: id, workspaceId, userId }])
  return added?.user_id
}

function deleteMember(
  em: EntityManager,
  { kind, id, workspace_id }: MemberSet,
  userId: string,
): Promise<string | undefined> {
  if (kind === 'role') return deleteRoleMember(em, id, userId)
  return removeDirectMember(em, { groupId: id, workspaceId: workspace_id, userId })
}

export function memberNotFound(): ServiceError {
  return new ServiceError('not_found', 'MEMBER_NOT_FOUND', 'Member not found')
}
