import type { EntityManager } from '@mikro-orm/postgresql'
import { recordActivityBatch } from '../activity/record-activity.ts'
import { invalidArgument } from '../core/errors.ts'
import type { SharePermission } from '../database/entities/resources.ts'
import { query } from '../database/query.ts'
import { isoTime, type Timestamp } from '../database/sql-values.ts'
import { inTransaction } from '../database/transaction.ts'
import { deleteExpiredSharesSql, type Resource } from './queries.ts'

/** The maximum number of shares that one call to `deleteExpiredShares` deletes. */
export const maxDeletedShares = 1000

const maxYears = 10

type ExpiredShare = Pick<
  Resource,
  'id' | 'workspace_id' | 'service_name' | 'resource_type' | 'resource_id'
> & {
  user_id: string | null
  group_id: string | null
  permission: SharePermission
  expires_at: Timestamp
}

/**
 * Deletes up to `maxDeletedShares` expired shares, of one resource or of all, records their expiry
 * and returns their number. Several nodes can do this concurrently. Decisions and lists ignore
 * expired shares whether or not they have been deleted.
 */
export async function deleteExpiredShares(
  em: EntityManager,
  { kind_id, resource_id }: Partial<Pick<Resource, 'kind_id' | 'resource_id'>> = {},
): Promise<number> {
  return inTransaction(em, async (em) => {
    const values = [maxDeletedShares, kind_id, resource_id]
    const shares = await query<ExpiredShare>(em, deleteExpiredSharesSql, values)
    if (shares.length > 0) {
      const actor = { actorId: undefined }
      await recordActivityBatch(em, actor, 'permission.share_expired', shares.map(expiryEvent))
    }
    return shares.length
  })
}

function expiryEvent({ id, workspace_id, user_id, group_id, expires_at, ...share }: ExpiredShare) {
  return {
    targetId: id,
    workspaceId: workspace_id,
    detail: {
      service_name: share.service_name,
      resource_type: share.resource_type,
      resource_id: share.resource_id,
      grantee_type: user_id ? 'user' : 'group',
      grantee_id: user_id ?? group_id ?? '',
      permission: share.permission,
      expires_at: isoTime(expires_at),
    },
  }
}

/**
 * Returns the time at which a new share expires, or undefined if it does not expire.
 *
 * @throws ServiceError `invalid_argument` for a time in the past or more than 10 years ahead
 */
export function readExpiry(expiresAt: string | undefined, now: Date): string | undefined {
  if (expiresAt === undefined) return undefined
  const time = new Date(expiresAt)
  const latest = new Date(now)
  latest.setUTCFullYear(now.getUTCFullYear() + maxYears)
  const message =
    time <= now
      ? 'must be in the future'
      : time > latest && `must be at most ${maxYears} years in the future`
  if (message) throw invalidArgument({ field: 'expires_at', message })
  return time.toISOString()
}
