import type { ActivityStore } from '../activity/store/activity-store.ts'
import type { Transactional } from '../core/request-context.ts'
import { isoTime } from '../database/sql-values.ts'
import { toWireKey } from '../permissions/store/resource-sql.ts'
import type { LinkStore } from './store/link-store.ts'

/** The maximum number of links that one call to `deleteExpiredLinks` deletes. */
export const maxDeletedLinks = 1000

/**
 * Deletes up to `maxDeletedLinks` expired links, records their expiry and returns their number.
 * Several nodes can do this concurrently. Decisions ignore expired links whether or not they have
 * been deleted.
 */
export async function deleteExpiredLinks(
  stores: Transactional<{ activity: ActivityStore; links: LinkStore }>,
): Promise<number> {
  return stores.transaction(async (tx) => {
    const links = await tx.links.deleteExpired(maxDeletedLinks)
    const events = links.map((link) => ({
      action: 'permission.link_expired' as const,
      targetId: link.permissionId,
      workspaceId: link.workspaceId,
      detail: {
        ...toWireKey(link),
        link_id: link.id,
        permission: link.permission,
        expires_at: isoTime(link.expiresAt),
      },
    }))
    await tx.activity.record({ actorId: undefined }, ...events)
    return links.length
  })
}
