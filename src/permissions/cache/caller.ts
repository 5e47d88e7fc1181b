import type { CallerQuery } from '../decision.ts'
import type { PrincipalStatus } from '../facts.ts'

/** Whether results for the caller are kept. Those of rejected callers are not, so that strangers evict nothing. */
export function isAccepted(
  { keyHash, userId }: CallerQuery,
  { service, keysRequired, tokenDenied, userActive }: PrincipalStatus,
): boolean {
  if (keyHash !== undefined && keysRequired && service === undefined) return false
  return userId === undefined || (userActive && !tokenDenied)
}

/** The key of the status of a caller. A line break is in no part of it. */
export function statusKey({
  // An empty key is not the same as none (accessible-batch.ts).
  keyHash = '-',
  tokenId = '',
  userId = '',
  workspaceId = '',
}: CallerQuery): string {
  return `${keyHash}\n${tokenId}\n${userId}\n${workspaceId}`
}
