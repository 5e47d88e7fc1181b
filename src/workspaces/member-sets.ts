import type { EntityManager } from '@mikro-orm/postgresql'
import type { Acknowledgement } from '../../gen/daikon/v1/acknowledgement.ts'
import type { DeleteResponse } from '../../gen/daikon/v1/workspaces.ts'
import { actorOf, recordActivity } from '../activity/record-activity.ts'
import { ServiceError } from '../core/errors.ts'
import type { WriteContext } from '../core/request-context.ts'
import { violates } from '../database/database-errors.ts'
import { isoTime, type Timestamp } from '../database/sql-values.ts'
import { deleteSetMember, findSetMembers, insertSetMember, type MemberSetKind } from './queries.ts'

/** A group or custom role, which contains some members of its workspace. */
export type MemberSet = { kind: MemberSetKind; id: string; workspace_id: string; name: string }

/** Lists the members of a set, by user id; the profile of an invited user is hidden. */
export async function listSetMembers<Member extends { added_at?: string | undefined }>(
  em: EntityManager,
  kind: MemberSetKind,
  id: string,
): Promise<Member[]> {
  type Row = Omit<Member, 'added_at'> & { added_at: Timestamp }
  const rows = await findSetMembers<Row>(em, kind, id)
  return rows.map((row) => ({ ...row, added_at: isoTime(row.added_at) }) as unknown as Member)
}

/** Adds a member of the set's workspace to the set; idempotent. Requires a transaction. */
export async function addSetMember(
  { em, principal }: WriteContext,
  { kind, id, workspace_id, name }: MemberSet,
  userId: string,
): Promise<Acknowledgement> {
  const keys = { setId: id, workspaceId: workspace_id, userId }
  const added = await insertSetMember(em, kind, keys).catch((error) => {
    // A foreign key ensures that only members of the workspace can be in its sets.
    throw violates(error, 'foreign') ? memberNotFound() : error
  })
  if (added) {
    await recordActivity(em, actorOf(principal), {
      action: `${kind}.member_added` as const,
      targetId: id,
      workspaceId: workspace_id,
      detail: { name, user_id: added.user_id },
    })
  }
  return { status: 'ok' }
}

/** Removes a member from a set. Requires a transaction. */
export async function removeSetMember(
  { em, principal }: WriteContext,
  { kind, id, workspace_id, name }: MemberSet,
  userId: string,
): Promise<DeleteResponse> {
  const removed = await deleteSetMember(em, kind, id, userId)
  if (!removed) throw memberNotFound()
  await recordActivity(em, actorOf(principal), {
    action: `${kind}.member_removed` as const,
    targetId: id,
    workspaceId: workspace_id,
    detail: { name, user_id: removed.user_id },
  })
  return {}
}

export function memberNotFound(): ServiceError {
  return new ServiceError('not_found', 'MEMBER_NOT_FOUND', 'Member not found')
}
