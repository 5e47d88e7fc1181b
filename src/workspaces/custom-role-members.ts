import type { Acknowledgement } from '../../gen/daikon/v1/acknowledgement.ts'
import type {
  ListRoleMembersRequest,
  ListRoleMembersResponse,
  RoleMemberRequest,
  RoleMemberResponse,
} from '../../gen/daikon/v1/admin_roles.ts'
import type { DeleteResponse } from '../../gen/daikon/v1/workspaces.ts'
import { actorOf } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import type { ActivityEvent } from '../activity/store/entries-sql.ts'
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import { isoTime } from '../database/sql-values.ts'
import { requireRole } from './custom-roles.ts'
import { memberNotFound, memberNotFoundOr } from './member-rules.ts'
import { requireMember } from './members.ts'
import type { MemberProfile, MemberStore } from './store/member-store.ts'
import type { RoleStore, StoredRole } from './store/role-store.ts'

type RoleStores = { roles: RoleStore; activity: ActivityStore }

/** Lists the members who have a custom role: a page, or without `page` all of them by user ID. */
export async function listRoleMembers(
  { stores }: RequestContext<RoleStores>,
  { q, ...request }: ListRoleMembersRequest,
): Promise<ListRoleMembersResponse> {
  const role = await requireRole(stores.roles, request)
  const toResponse = (member: MemberProfile) => toRoleMemberResponse(role.id, member)
  if (request.page === undefined) {
    return { members: (await stores.roles.listMembers(role.id, q)).map(toResponse) }
  }
  const { items, total } = await stores.roles.listMemberPage(role.id, q, request)
  return { members: items.map(toResponse), total }
}

function toRoleMemberResponse(
  roleId: string,
  { userId, email, name, avatarUrl, addedAt }: MemberProfile,
): RoleMemberResponse {
  return {
    user_id: userId,
    role_id: roleId,
    email,
    name,
    avatar_url: avatarUrl,
    added_at: isoTime(addedAt),
  }
}

/** Assigns a custom role to a member of its workspace; idempotent. */
export async function addRoleMember(
  { stores, principal }: WriteContext<RoleStores & { members: MemberStore }>,
  request: RoleMemberRequest,
): Promise<Acknowledgement> {
  const userId = request.user_id
  return stores.transaction(async (tx) => {
    const role = await requireRole(tx.roles, request)
    await requireMember(tx.members, { workspaceId: role.workspaceId, userId })
    const isNew = await tx.roles.addMember(role, userId).catch((error) => {
      throw memberNotFoundOr(error)
    })
    if (isNew) {
      const event = createRoleMemberEvent('role.member_added', role, userId)
      await tx.activity.record(actorOf(principal), event)
    }
    return { status: 'ok' }
  })
}

/** Removes a custom role from a member. */
export async function removeRoleMember(
  { stores, principal }: WriteContext<RoleStores>,
  request: RoleMemberRequest,
): Promise<DeleteResponse> {
  const userId = request.user_id
  return stores.transaction(async (tx) => {
    const role = await requireRole(tx.roles, request)
    if (!(await tx.roles.removeMember(role.id, userId))) throw memberNotFound()
    const event = createRoleMemberEvent('role.member_removed', role, userId)
    await tx.activity.record(actorOf(principal), event)
    return {}
  })
}

function createRoleMemberEvent(
  action: 'role.member_added' | 'role.member_removed',
  { id, workspaceId, name }: StoredRole,
  userId: string,
): ActivityEvent<typeof action> {
  return { action, targetId: id, workspaceId, detail: { name, user_id: userId } }
}
