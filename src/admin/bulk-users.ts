import type { BulkResponse, UpdateUsersRequest } from '../../gen/daikon/v1/bulk_changes.ts'
import { changeEach } from '../core/bulk.ts'
import { changeUser, type UpdateContext } from './user-status.ts'

/** Activates or deactivates users, each wholly or not at all. */
export function updateUsers(
  { stores, ...context }: UpdateContext,
  { user_ids, is_active }: UpdateUsersRequest,
): Promise<BulkResponse> {
  return changeEach(stores, user_ids, (tx, user_id) =>
    tx.transaction((tx) => changeUser(tx, context, { user_id, is_active })),
  )
}
