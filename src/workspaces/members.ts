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
import { likePattern } from '../database/sql-values.ts'
import { inTransaction } from '../database/transaction.ts'
import { endSessions } from '../identity/refresh-families.ts'
import { type MemberRow, memberSql, requireMember, viewMember } from './member-view.ts'
import { lockOwners, requireAnotherOwner, requireRightsOver } from './owners.ts'
import { requireKnownWorkspace } from './require-workspace.ts'

/** Members and invited people, always in the same order; `q` looks into names and e-mails. */
export async function listMembers(
  { em }: RequestContext,
  { workspace_id, q, limit = 50 }: ListMembersRequest,
): Promise<ListMembersResponse> {
  // An invited person's name is not shown, so it is not found either.
  const found = q ? 'and (u.email ilike ? or (m.joined_at is not null and u.name ilike ?))' : ''
  const pattern = q ? [likePattern(q), likePattern(q)] : []
  const rows = await em.execute<MemberRow[]>(
    `${memberSql} where m.workspace_id = ? ${found} order by m.user_id limit ?`,
    [workspace_id, ...pattern, limit],
  )
  if (rows.length === 0) await requireKnownWorkspace(em, workspace_id)
  return { members: rows.map(viewMember) }
}

/** Changes a member's role. */
export async function updateMember(
  { em, principal }: RequestContext,
  request: UpdateMemberRequest,
): Promise<WorkspaceMemberResponse> {
  const role = request.role as Role
  return inTransaction(em, async (em) => {
    const workspace_id = await lockOwners(em, request.workspace_id)
    const member = await requireMember(em, workspace_id, request.user_id)
    requireRightsOver(principal, [member.role, role])
    if (member.role === role) return member
    if (member.role === 'owner') await requireAnotherOwner(em, member)
    const { user_id } = member
    await em.nativeUpdate(Member, { workspace_id, user_id }, { role })
    const detail = { from: member.role, to: role }
    const entry = { action: 'member.role_changed', detail } as const
    await recordActivity(em, actorOf(principal), {
      ...entry,
      targetId: user_id,
      workspaceId: workspace_id,
    })
    return { ...member, role }
  })
}

/** Removes a member; anybody may leave. Groups, roles, shares and sessions go along. */
export async function removeMember(
  { em, principal, now }: RequestContext,
  request: RemoveMemberRequest,
): Promise<DeleteResponse> {
  return inTransaction(em, async (em) => {
    const workspace_id = await lockOwners(em, request.workspace_id)
    const leaving = principal.user?.id === request.user_id.toLowerCase()
    if (!leaving) requireRightsOver(principal, [])
    const member = await requireMember(em, workspace_id, request.user_id)
    if (!leaving) requireRightsOver(principal, [member.role])
    if (member.role === 'owner') await requireAnotherOwner(em, member)
    const { user_id, email, role } = member
    // Held: an exchange under way is through, and its session found, or it fails.
    await em.execute('select from members where user_id = ? and workspace_id = ? for update', [
      user_id,
      workspace_id,
    ])
    await endSessions(em, now, { user_id, workspace_id })
    await em.nativeDelete(Member, { workspace_id, user_id })
    const entry = { action: 'member.removed', detail: { email, role } } as const
    await recordActivity(em, actorOf(principal), {
      ...entry,
      targetId: user_id,
      workspaceId: workspace_id,
    })
    return {}
  })
}
