import type { ActivityStore } from '../activity/store/activity-store.ts'
import type { Transactional } from '../core/request-context.ts'
import { isoTime } from '../database/sql-values.ts'
import { type Resource, toWireKey } from './store/resource-sql.ts'
import type { ExpiredShare, ShareStore } from './store/share-store.ts'

/** The maximum number of shares that one call to `deleteExpiredShares` deletes. */
export const maxDeletedShares = 1000

/**
 * Deletes up to `maxDeletedShares` expired shares, of one resource or of all, records their expiry
 * and returns their number. Several nodes can do this concurrently. Decisions and lists ignore
 * expired shares whether or not they have been deleted.
 */
export async function deleteExpiredShares(
  stores: Transactional<{ activity: ActivityStore; shares: ShareStore }>,
  resource?: Pick<Resource, 'kindId' | 'resourceId'>,
): Promise<number> {
  return stores.transaction(async (tx) => {
    const shares = await tx.shares.deleteExpired(maxDeletedShares, resource)
    await tx.activity.record({ actorId: undefined }, ...shares.map(expiryEvent))
    return shares.length
  })
}

function expiryEvent(share: ExpiredShare) {
  return {
    action: 'permission.share_expired' as const,
    targetId: share.id,
    workspaceId: share.workspaceId,
    detail: {
      ...toWireKey(share),
      grantee_type: share.userId ? 'user' : 'group',
      grantee_id: share.userId ?? share.groupId ?? '',
      permission: share.permission,
      expires_at: isoTime(share.expiresAt),
    },
  }
}
