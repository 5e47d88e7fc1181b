import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { Claims } from './claims.ts'
import { findMemberClaims, type MemberKey } from './queries.ts'

/**
 * Loads the claims of a new access token for an active member: the current role, groups, name and
 * slug, and a new `jti`. Returns undefined if the user is inactive or not a member.
 */
export async function loadAccessClaims(
  em: EntityManager,
  key: MemberKey,
): Promise<Claims['access'] | undefined> {
  const claims = await findMemberClaims(em, key)
  return claims && { ...claims, jti: randomUUID() }
}
