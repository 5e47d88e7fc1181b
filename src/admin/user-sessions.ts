import type {
  EndUserSessionRequest,
  EndUserSessionsRequest,
} from '../../gen/daikon/v1/admin_users.ts'
import type { DeleteResponse } from '../../gen/daikon/v1/workspaces.ts'
import { actorOf } from '../activity/actor.ts'
import type { RequestContext } from '../core/request-context.ts'
import { endAllSessions, endSessionOf, type SignOutStores } from '../identity/sessions.ts'
import { userNotFound } from '../identity/user-errors.ts'

type SessionContext = RequestContext<SignOutStores>

/** Ends one session of a user. */
export async function endUserSession(
  { stores, principal, now }: SessionContext,
  { user_id, session_id }: EndUserSessionRequest,
): Promise<DeleteResponse> {
  await stores.transaction((tx) => endSessionOf(tx, now, actorOf(principal), user_id, session_id))
  return {}
}

/**
 * Ends all sessions of a user and invalidates authorization codes that have not been exchanged yet.
 */
export async function endUserSessions(
  { stores, principal, now }: SessionContext,
  { user_id }: EndUserSessionsRequest,
): Promise<DeleteResponse> {
  await stores.transaction(async (tx) => {
    if (!(await tx.users.find(user_id))) throw userNotFound()
    await endAllSessions(tx, now, actorOf(principal), user_id)
  })
  return {}
}
