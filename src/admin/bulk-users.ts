import type { BulkResponse, UpdateUsersRequest } from '../../gen/daikon/v1/bulk_changes.ts'
import { changeEach } from '../core/bulk.ts'
import { addUserToWorkspace } from '../workspaces/invitations.ts'
import { updateUser } from './user-status.ts'

type Context = Parameters<typeof updateUser>[0] & Parameters<typeof addUserToWorkspace>[0]

/**
 * Activates or deactivates users, or adds them to a workspace, each in a transaction of its own.
 */
export function updateUsers(
  context: Context,
  { user_ids, is_active, workspace_id, role }: UpdateUsersRequest,
): Promise<BulkResponse> {
  return changeEach(user_ids, async (user_id) => {
    if (is_active !== undefined) await updateUser(context, { user_id, is_active })
    else if (workspace_id) await addUserToWorkspace(context, { user_id, workspace_id, role })
  })
}
