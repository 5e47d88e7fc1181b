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

const kind = 'group'

/** The members of a group, in the order they became known. */
export async function listGroupMembers(
  { em }: RequestContext,
  request: GroupRequest,
): Promise<ListGroupMembersResponse> {
  const { id } = await requireGroup(em, request)
  return { members: await listSetMembers(em, { kind, id }) }
}

/** Adds a member of the group's workspace; again changes nothing. */
export async function addGroupMember(
  { em, principal }: RequestContext,
  request: GroupMemberRequest,
): Promise<Acknowledgement> {
  return inTransaction(em, async (em) => {
    const group = await requireGroup(em, request)
    return addSetMember({ em, principal }, { kind, ...group }, request.user_id)
  })
}

/** Takes a member out of a group. */
export async function removeGroupMember(
  { em, principal }: RequestContext,
  request: GroupMemberRequest,
): Promise<DeleteResponse> {
  return inTransaction(em, async (em) => {
    const group = await requireGroup(em, request)
    return removeSetMember({ em, principal }, { kind, ...group }, request.user_id)
  })
}
