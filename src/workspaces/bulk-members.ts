import type {
  AddMembersRequest,
  BulkResponse,
  UpdateMembersRequest,
} from '../../gen/daikon/v1/bulk_changes.ts'
import { changeEach } from '../core/bulk.ts'
import { addUserToWorkspace } from './invitations.ts'
import { removeMember, updateMember } from './members.ts'
import { requireWorkspaceExists } from './workspaces.ts'

type Context = Parameters<typeof updateMember>[0] & Parameters<typeof removeMember>[0]

/** Changes the role of members or removes them, each in a transaction of its own. */
export async function updateMembers(
  context: Context,
  { workspace_id, user_ids, role, remove }: UpdateMembersRequest,
): Promise<BulkResponse> {
  await requireWorkspaceExists(context.stores.workspaces, workspace_id)
  return changeEach(user_ids, async (user_id) => {
    const member = { workspace_id, user_id }
    if (remove) await removeMember(context, member)
    else if (role) await updateMember(context, { ...member, role })
  })
}

/** Invites existing users to a workspace, each in a transaction of its own. */
export async function addMembers(
  context: Parameters<typeof addUserToWorkspace>[0],
  { workspace_id, user_ids, role }: AddMembersRequest,
): Promise<BulkResponse> {
  await requireWorkspaceExists(context.stores.workspaces, workspace_id)
  return changeEach(user_ids, (user_id) =>
    addUserToWorkspace(context, { user_id, workspace_id, role }),
  )
}
