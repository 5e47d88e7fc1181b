import type { BulkResponse, UpdateMembersRequest } from '../../gen/daikon/v1/bulk_changes.ts'
import { changeEach } from '../core/bulk.ts'
import { removeMember, updateMember } from './members.ts'

type Context = Parameters<typeof updateMember>[0] & Parameters<typeof removeMember>[0]

/** Changes the role of members or removes them, each in a transaction of its own. */
export function updateMembers(
  context: Context,
  { workspace_id, user_ids, role, remove }: UpdateMembersRequest,
): Promise<BulkResponse> {
  return changeEach(user_ids, async (user_id) => {
    const member = { workspace_id, user_id }
    if (remove) await removeMember(context, member)
    else if (role) await updateMember(context, { ...member, role })
  })
}
