import type { EntityManager } from '@mikro-orm/postgresql'
import type {
  DeleteResponse,
  ListMembersRequest,
  ListMembersResponse,
  RemoveMemberRequest,
  UpdateMemberRequest,
  WorkspaceMemberResponse,
} from '../../gen/daikon/v1/workspaces.ts'
import { actorOf, recordActivity } from '../activity/record-activity.ts'
import type { RequestContext } from '../core/request-context.ts'
import type { Role } from '../core/roles.ts'
import { Member } from '../database/entities/people.ts'
import { isoTime } from '../database/sql-values.ts'
import { inTransaction } from '../database/transaction.ts'
import { endSessions } from '../identity/refresh-families.ts'
import { lockWorkspace, requireAnotherOwner, requireRoleToManage } from './member-rules.ts'
import { memberNotFound } from './member-sets.ts'
import { findMemberRow, findMembers, lockMember, type MemberRow } from './queries.ts'
import { requireWorkspaceExists } from './workspaces.ts'

/** Lists members and invited users, by user ID; `q` matches names and e-mail addresses. */
export async function listMembers(
  { em }: RequestContext,
  { workspace_id, q, limit = 50 }: ListMembersRequest,
): Promise<ListMembersResponse> {
  const rows = await findMembers(em, workspace_id, q, limit)
  if (rows.length === 0) await requireWorkspaceExists(em, workspace_id)
  return { members: rows.map(toMemberResponse) }
}

/** Changes the role of a member. */
export async function updateMember(
  { em, principal }: RequestContext,
  request: UpdateMemberRequest,
): Promise<WorkspaceMemberResponse> {
  const role = request.role as Role
  return inTransaction(em, async (em) => {
    const workspace_id = await lockWorkspace(em, request.workspace_id)
    const member = await requireMember(em, workspace_id, request.user_id)
    requireRoleToManage(principal, [member.role, role])
    if (member.role === role) return member
    if (member.role === 'owner') await requireAnotherOwner(em, member)
    const { user_id } = member
    await em.nativeUpdate(Member, { workspace_id, user_id }, { role })
    await recordActivity(em, actorOf(principal), {
      action: 'member.role_changed',
      targetId: user_id,
      workspaceId: workspace_id,
      detail: { from: member.role, to: role },
    })
    return { ...member, role }
  })
}

/**
 * Removes a member, together with their group memberships, custom roles, shares and sessions in the
 * workspace. Every member may leave.
 */
export async function removeMember(
  { em, principal, now }: RequestContext,
  request: RemoveMemberRequest,
): Promise<DeleteResponse> {
  return inTransaction(em, async (em) => {
    const workspace_id = await lockWorkspace(em, request.workspace_id)
    const isLeaving = principal.user?.id === request.user_id.toLowerCase()
    if (!isLeaving) requireRoleToManage(principal, [])
    const member = await requireMember(em, workspace_id, request.user_id)
    if (!isLeaving) requireRoleToManage(principal, [member.role])
    if (member.role === 'owner') await requireAnotherOwner(em, member)
    const { user_id, email, role } = member
    // A concurrent code exchange either commits before this lock, so that its session is ended
    // below, or fails.
    await lockMember(em, workspace_id, user_id)
    await endSessions(em, now, { user_id, workspace_id })
    await em.nativeDelete(Member, { workspace_id, user_id })
    await recordActivity(em, actorOf(principal), {
      action: 'member.removed',
      targetId: user_id,
      workspaceId: workspace_id,
      detail: { email, role },
    })
    return {}
  })
}

export async function findMember(
  em: EntityManager,
  workspaceId: string,
  userId: string,
): Promise<WorkspaceMemberResponse | undefined> {
  const row = await findMemberRow(em, workspaceId, userId)
  return row && toMemberResponse(row)
}

export async function requireMember(
  em: EntityManager,
  workspaceId: string,
  userId: string,
): Promise<WorkspaceMemberResponse> {
  const member = await findMember(em, workspaceId, userId)
  if (!member) throw memberNotFound()
  return member
}

/** Hides the profile of an invited user, except for the e-mail address. */
function toMemberResponse({ joined_at, ...row }: MemberRow): WorkspaceMemberResponse {
  if (joined_at === null) return { ...row, name: '', avatar_url: '', status: 'invited' }
  return { ...row, status: 'active', joined_at: isoTime(joined_at) }
}
