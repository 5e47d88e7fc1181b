import type { Acknowledgement } from '../../gen/daikon/v1/acknowledgement.ts'
import type {
  GroupMemberRequest,
  GroupMemberResponse,
  ListGroupMembersRequest,
  ListGroupMembersResponse,
} from '../../gen/daikon/v1/groups.ts'
import type { DeleteResponse } from '../../gen/daikon/v1/workspaces.ts'
import type { RequestContext } from '../core/request-context.ts'
import { isoTime } from '../database/sql-values.ts'
import { inTransaction } from '../database/transaction.ts'
import { findEffectiveMembers } from './group-queries.ts'
import { requireGroup } from './groups.ts'
import { addSetMember, listSetMembers, removeSetMember } from './member-sets.ts'

/** Lists the direct members of a group, by user ID; `effective` includes inherited members. */
export async function listGroupMembers(
  { em }: RequestContext,
  request: ListGroupMembersRequest,
): Promise<ListGroupMembersResponse> {
  const { id } = await requireGroup(em, request)
  if (request.effective) {
    const rows = await findEffectiveMembers(em, id)
    return { members: rows.map((row) => ({ ...row, added_at: isoTime(row.added_at) })) }
  }
  const members = await listSetMembers<Omit<GroupMemberResponse, 'via'>>(em, 'group', id)
  return { members: members.map((member) => ({ ...member, via: [] })) }
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

/** Removes a direct member from a group. */
export async function removeGroupMember(
  { em, principal }: RequestContext,
  request: GroupMemberRequest,
): Promise<DeleteResponse> {
  return inTransaction(em, async (em) => {
    const group = await requireGroup(em, request)
    return removeSetMember({ em, principal }, { kind: 'group', ...group }, request.user_id)
  })
}
