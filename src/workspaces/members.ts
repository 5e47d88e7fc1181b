import type {
  DeleteResponse,
  ListMembersRequest,
  ListMembersResponse,
  RemoveMemberRequest,
  UpdateMemberRequest,
  WorkspaceMemberResponse,
} from '../../gen/daikon/v1/workspaces.ts'
import { record } from '../activity/record.ts'
import { endSessionsOf } from '../identity/families.ts'
import { actorOf, type Context } from '../rpc/call.ts'
import { Member } from '../storage/entities/people.ts'
import { likePattern } from '../storage/like-pattern.ts'
import { inTransaction } from '../storage/transaction.ts'
import { type MemberRow, memberSql, requireMember, viewMember } from './member-view.ts'
import { lockOwners, requireAnotherOwner, requireRightsOver } from './owners.ts'
import type { Role } from './roles.ts'
import { requireKnownWorkspace } from './workspace-missing.ts'

/** Members and invited people, always in the same order; `q` looks into names and e-mails. */
export async function listMembers(
  { em }: Context,
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
  { em, caller }: Context,
  request: UpdateMemberRequest,
): Promise<WorkspaceMemberResponse> {
  const role = request.role as Role
  return inTransaction(em, async (em) => {
    const workspace_id = await lockOwners(em, request.workspace_id)
    const member = await requireMember(em, workspace_id, request.user_id)
    requireRightsOver(caller, [member.role, role])
    if (member.role === role) return member
    if (member.role === 'owner') await requireAnotherOwner(em, member)
    const { user_id } = member
    await em.nativeUpdate(Member, { workspace_id, user_id }, { role })
    const detail = { from: member.role, to: role }
    const entry = { action: 'member.role_changed', detail } as const
    await record(em, actorOf(caller), { ...entry, targetId: user_id, workspaceId: workspace_id })
    return { ...member, role }
  })
}

/** Removes a member; anybody may leave. Groups, roles, shares and sessions go along. */
export async function removeMember(
  { em, caller, now }: Context,
  request: RemoveMemberRequest,
): Promise<DeleteResponse> {
  return inTransaction(em, async (em) => {
    const workspace_id = await lockOwners(em, request.workspace_id)
    const leaving = caller.user?.id === request.user_id.toLowerCase()
    if (!leaving) requireRightsOver(caller, [])
    const member = await requireMember(em, workspace_id, request.user_id)
    if (!leaving) requireRightsOver(caller, [member.role])
    if (member.role === 'owner') await requireAnotherOwner(em, member)
    const { user_id, email, role } = member
    // Held: an exchange under way is through, and its session found, or it fails.
    await em.execute('select from members where user_id = ? and workspace_id = ? for update', [
      user_id,
      workspace_id,
    ])
    await endSessionsOf(em, now, { user_id, workspace_id })
    await em.nativeDelete(Member, { workspace_id, user_id })
    const entry = { action: 'member.removed', detail: { email, role } } as const
    await record(em, actorOf(caller), { ...entry, targetId: user_id, workspaceId: workspace_id })
    return {}
  })
}
