import type { Caller, PrincipalStatus } from '../question.ts'

/**
 * Whether to cache results for the caller. Results of rejected callers are not cached, so that
 * unauthenticated requests cannot evict entries.
 */
export function isAccepted(
  { keyHash, userId }: Caller,
  { service, keysRequired, tokenDenied, userActive }: PrincipalStatus,
): boolean {
  if (keyHash !== undefined && keysRequired && service === undefined) return false
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
}: Caller): string {
  return `${keyHash}\n${tokenId}\n${userId}\n${workspaceId}`
}
