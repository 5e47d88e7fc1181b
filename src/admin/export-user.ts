import type { ExportUserRequest, UserExport } from '../../gen/daikon/v1/admin_user_data.ts'
import { findEntries } from '../activity/activity-log.ts'
import { actorOf, recordActivity } from '../activity/record-activity.ts'
import type { RequestContext } from '../core/request-context.ts'
import { isoTime } from '../database/sql-values.ts'
import { inTransaction } from '../database/transaction.ts'
import { findBrowserSessions, findOwnedResources, findSharesOfUser } from './user-data-queries.ts'
import { requireUserDetail } from './users.ts'

/** The maximum number of activity events in an export, which loads them all into memory. */
const maxEntries = 100_000

/** Exports all data about a user. */
export async function exportUser(
  { em, principal, now }: Pick<RequestContext, 'em' | 'principal' | 'now'>,
  { user_id }: ExportUserRequest,
): Promise<UserExport> {
  return inTransaction(em, async (em) => {
    const user = await requireUserDetail(em, now, user_id)
    await recordActivity(em, actorOf(principal), {
      action: 'user.exported',
      targetId: user.id,
      detail: { by: principal.admin ? 'administrator' : 'operator' },
    })
    const resources = await findOwnedResources(em, user.id)
    const browserSessions = await findBrowserSessions(em, user.id)
    const shares = await findSharesOfUser(em, user.id)
    return {
      user,
      resources: resources.map((row) => ({ ...row, created_at: isoTime(row.created_at) })),
      shares: shares.map(({ granted_by, granted_at, expires_at, ...row }) => ({
        ...row,
        ...(granted_by && { granted_by }),
        granted_at: isoTime(granted_at),
        ...(expires_at && { expires_at: isoTime(expires_at) }),
      })),
      activity: await findEntries(em, { concernedUserId: user.id, limit: maxEntries }),
      exported_at: isoTime(now),
      browser_sessions: browserSessions.map(({ authenticated_at, expires_at, ...row }) => ({
        ...row,
        authenticated_at: isoTime(authenticated_at),
        expires_at: isoTime(expires_at),
      })),
    }
  })
}
