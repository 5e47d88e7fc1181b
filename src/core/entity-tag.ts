import { createHash } from 'node:crypto'
import { ServiceError } from './errors.ts'
import { reasons } from './reasons.ts'

/**
 * Returns the strong ETag of an object (RFC 9110, section 8.8.3). It depends on the ID and on the
 * fields that an update can change, so that counts and times of use do not cause conflicts.
 */
export function createEntityTag(id: string, fields: Record<string, unknown>): string {
  const hash = createHash('sha256').update(JSON.stringify([id, fields]))
  return `"${hash.digest('base64url').slice(0, 22)}"`
}

/**
 * Throws unless `If-Match` is absent, `*`, or contains the ETag. Call it with the ETag of a locked
 * row. Weak tags never match (RFC 9110, section 13.1.1).
 */
export function requireMatch(ifMatch: string | undefined, tag: string): void {
  if (ifMatch === undefined || ifMatch.trim() === '*') return
  // ETags of this server contain no commas, so a tag with one cannot match.
  if (ifMatch.split(',').some((candidate) => candidate.trim() === tag)) return
  throw new ServiceError(reasons.CHANGED_SINCE_READ)
}
