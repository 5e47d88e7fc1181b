import type {
  EndUserSessionRequest,
  EndUserSessionsRequest,
} from '../../gen/daikon/v1/admin_users.ts'
import type { DeleteResponse } from '../../gen/daikon/v1/workspaces.ts'
import { actorOf } from '../activity/record-activity.ts'
import type { RequestContext } from '../core/request-context.ts'
import { User } from '../database/entities/people.ts'
import { inTransaction } from '../database/transaction.ts'
import { endAllSessions, endSessionOf } from '../identity/sessions.ts'
import { userNotFound } from '../identity/user-errors.ts'

/** Ends one session of a user. */
export async function endUserSession(
  { em, principal, now }: RequestContext,
  { user_id, session_id }: EndUserSessionRequest,
): Promise<DeleteResponse> {
  await inTransaction(em, (em) => endSessionOf(em, now, actorOf(principal), user_id, session_id))
  return {}
}

/**
 * Ends all sessions of a user and invalidates authorization codes that have not been exchanged yet.
 */
export async function endUserSessions(
  { em, principal, now }: RequestContext,
  { user_id }: EndUserSessionsRequest,
): Promise<DeleteResponse> {
  await inTransaction(em, async (em) => {
    if (!(await em.count(User, { id: user_id }))) throw userNotFound()
    await endAllSessions(em, now, actorOf(principal), user_id)
  })
  return {}
}
