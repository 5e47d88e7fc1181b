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
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import { isoTime } from '../database/sql-values.ts'
import { requireRole } from './custom-roles.ts'
import { memberNotFound, memberNotFoundOr } from './member-rules.ts'
import { requireMember } from './members.ts'
import { createNamedEvent, listOrPage } from './named-objects.ts'
import type { MemberProfile, MemberStore } from './store/member-store.ts'
import type { RoleStore } from './store/role-store.ts'

type RoleStores = { roles: RoleStore; activity: ActivityStore }

/** Lists the members who have a custom role: a page, or without `page` all of them by user ID. */
export async function listRoleMembers(
  { stores }: RequestContext<RoleStores>,
  { q, ...request }: ListRoleMembersRequest,
): Promise<ListRoleMembersResponse> {
  const role = await requireRole(stores.roles, request)
  const toResponse = (member: MemberProfile) => toRoleMemberResponse(role.id, member)
  const { items, ...total } = await listOrPage(
    request,
    () => stores.roles.listMembers(role.id, q),
    (page) => stores.roles.listMemberPage(role.id, q, page),
  )
  return { members: items.map(toResponse), ...total }
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
      const event = createNamedEvent('role.member_added', role, { user_id: userId })
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
    const event = createNamedEvent('role.member_removed', role, { user_id: userId })
    await tx.activity.record(actorOf(principal), event)
    return {}
  })
}
