import type { Acknowledgement } from '../../gen/daikon/v1/acknowledgement.ts'
import type {
  ListRoleMembersResponse,
  RoleMemberRequest,
  RoleRequest,
} from '../../gen/daikon/v1/admin_roles.ts'
import type { DeleteResponse } from '../../gen/daikon/v1/workspaces.ts'
import type { RequestContext } from '../core/request-context.ts'
import { inTransaction } from '../database/transaction.ts'
import { requireRole } from './custom-roles.ts'
import { addSetMember, listSetMembers, removeSetMember } from './member-sets.ts'

/** Lists the members who have a custom role, by user id. */
export async function listRoleMembers(
  { em }: RequestContext,
  { role_id }: RoleRequest,
): Promise<ListRoleMembersResponse> {
  const { id } = await requireRole(em, role_id)
  return { members: await listSetMembers(em, 'role', id) }
}

/** Assigns a custom role to a member of its workspace; idempotent. */
export async function addRoleMember(
  { em, principal }: RequestContext,
  { role_id, user_id }: RoleMemberRequest,
): Promise<Acknowledgement> {
  return inTransaction(em, async (em) => {
    const role = await requireRole(em, role_id)
    return addSetMember({ em, principal }, { kind: 'role', ...role }, user_id)
  })
}

/** Removes a custom role from a member. */
export async function removeRoleMember(
  { em, principal }: RequestContext,
  { role_id, user_id }: RoleMemberRequest,
): Promise<DeleteResponse> {
  return inTransaction(em, async (em) => {
    const role = await requireRole(em, role_id)
    return removeSetMember({ em, principal }, { kind: 'role', ...role }, user_id)
  })
}
