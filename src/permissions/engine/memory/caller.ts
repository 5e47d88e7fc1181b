import type { Caller, PrincipalStatus } from '../../../core/caller.ts'
import { isCanonicalUuid } from '../../../core/uuid.ts'

/**
 * Whether to cache results for the caller. Results of rejected callers are not cached, so that
 * unauthenticated requests cannot evict entries. Callers whose IDs are not spelled as in the
 * database are not remembered either, because changes are recorded under that spelling.
 */
export function isAccepted(
  { keyHash, userId, workspaceId, tokenId, delegationId }: Caller,
  { service, keysRequired, tokenDenied, userActive }: PrincipalStatus,
): boolean {
  if (keyHash !== undefined && keysRequired && service === undefined) return false
  const ids = [userId, workspaceId, tokenId, delegationId].filter((id) => id !== undefined)
  if (!ids.every(isCanonicalUuid)) return false
  return userId === undefined || (userActive && !tokenDenied)
}

/**
 * Returns the cache key of a caller's status. Line breaks separate the parts, none of which can
 * contain one.
 */
export function statusKey({
  // An empty key differs from an absent one (`Caller`).
  keyHash = '-',
  tokenId = '',
  userId = '',
  workspaceId = '',
  delegationId,
}: Caller): string {
  const key = `${keyHash}\n${tokenId}\n${userId}\n${workspaceId}`
  return delegationId === undefined ? key : `${key}\n${delegationId}`
}
