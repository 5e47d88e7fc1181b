import type { Acknowledgement } from '../../gen/daikon/v1/acknowledgement.ts'
import type {
  GroupMemberRequest,
  GroupRequest,
  ListGroupMembersResponse,
} from '../../gen/daikon/v1/groups.ts'
import type { DeleteResponse } from '../../gen/daikon/v1/workspaces.ts'
import type { RequestContext } from '../core/request-context.ts'
import { inTransaction } from '../database/transaction.ts'
import { requireGroup } from './groups.ts'
import { addSetMember, listSetMembers, removeSetMember } from './member-sets.ts'

/** Lists the members of a group, by user id. */
export async function listGroupMembers(
  { em }: RequestContext,
  request: GroupRequest,
): Promise<ListGroupMembersResponse> {
  const { id } = await requireGroup(em, request)
  return { members: await listSetMembers(em, 'group', id) }
}

/** Adds a member of the group's workspace to a group; idempotent. */
export async function addGroupMember(
  { em, principal }: RequestContext,
  request: GroupMemberRequest,
): Promise<Acknowledgement> {
  return inTransaction(em, async (em) => {
    const group = await requireGroup(em, request)
    return addSetMember({ em, principal }, { kind: 'group', ...group }, request.user_id)
  })
}

/** Removes a member from a group. */
export async function removeGroupMember(
  { em, principal }: RequestContext,
  request: GroupMemberRequest,
): Promise<DeleteResponse> {
  return inTransaction(em, async (em) => {
    const group = await requireGroup(em, request)
    return removeSetMember({ em, principal }, { kind: 'group', ...group }, request.user_id)
  })
}
