import type { BulkResponse, UpdateUsersRequest } from '../../gen/daikon/v1/bulk_changes.ts'
import { changeEach } from '../core/bulk.ts'
import { changeUser } from './user-status.ts'

/** Activates or deactivates users, each wholly or not at all. */
export function updateUsers(
  { stores, ...context }: Parameters<typeof changeUser>[0],
  { user_ids, is_active }: UpdateUsersRequest,
): Promise<BulkResponse> {
  return changeEach(stores, user_ids, (tx, user_id) =>
    changeUser({ ...context, stores: tx }, { user_id, is_active }),
  )
}
