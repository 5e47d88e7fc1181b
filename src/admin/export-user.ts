import type { ExportUserRequest, UserExport } from '../../gen/daikon/v1/admin_user_data.ts'
import { actorOf } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import type { RequestContext } from '../core/request-context.ts'
import { isoTime } from '../database/sql-values.ts'
import type { UserStore } from '../identity/store/user-store.ts'
import { describeCaller } from './describe-caller.ts'
import type { AdminPorts } from './ports.ts'
import type { UserDataStore } from './store/user-data-store.ts'
import { requireUserDetail, type UserDetailStores } from './users.ts'

export type ExportStores = UserDetailStores &
  Pick<AdminPorts, 'provisionedUsers' | 'userDelegations' | 'userGrants' | 'userPasskeys'> & {
    activity: ActivityStore
    userData: UserDataStore
    users: UserStore
  }

/** The maximum number of activity events in an export, which loads them all into memory. */
const maxEntries = 100_000

/** Exports all data about a user. */
export async function exportUser(
  { stores, principal, now }: Pick<RequestContext<ExportStores>, 'stores' | 'principal' | 'now'>,
  { user_id }: ExportUserRequest,
): Promise<UserExport> {
  return stores.transaction(async (tx) => {
    const { etag: _etag, ...user } = await requireUserDetail(tx, now, user_id)
    await tx.activity.record(actorOf(principal), {
      action: 'user.exported',
      targetId: user.id,
      detail: { by: describeCaller(principal) },
    })
    const { givenName, familyName } = await tx.users.requireProfile(user.id)
    const resources = await tx.userData.listResources(user.id)
    const browser_sessions = await tx.userData.listBrowserSessions(user.id)
    const connection_subjects = await tx.userData.listConnectionSubjects(user.id)
    const shares = await tx.userData.listShares(user.id)
    const passkeys = await tx.userPasskeys.list(user.id)
    const grants = await tx.userGrants.list(user.id)
    const delegations = await tx.userDelegations.list(user.id)
    const scim_users = await tx.provisionedUsers.list(user.id)
    return {
      user,
      given_name: givenName,
      family_name: familyName,
      resources,
      shares,
      activity: await tx.activity.find({ concernedUserId: user.id, limit: maxEntries }),
      exported_at: isoTime(now),
      browser_sessions,
      connection_subjects,
      scim_users,
      passkeys,
      grants,
      delegations,
    }
  })
}
