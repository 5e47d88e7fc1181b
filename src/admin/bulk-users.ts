import type { BulkResponse, UpdateUsersRequest } from '../../gen/daikon/v1/bulk_changes.ts'
import { changeEach } from '../core/bulk.ts'
import { updateUser } from './user-status.ts'

/** Activates or deactivates users, each in a transaction of its own. */
export function updateUsers(
  context: Parameters<typeof updateUser>[0],
  { user_ids, is_active }: UpdateUsersRequest,
): Promise<BulkResponse> {
  return changeEach(user_ids, (user_id) => updateUser(context, { user_id, is_active }))
}
