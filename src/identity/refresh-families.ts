import { randomUUID } from 'node:crypto'
import { LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { v7 as uuid } from 'uuid'
import type { RefreshTokenRequest, TokenResponse } from '../../gen/daikon/v1/auth.ts'
import { recordActivity } from '../activity/record-activity.ts'
import { ServiceError } from '../core/errors.ts'
import { violates } from '../database/database-errors.ts'
import { RefreshFamily, RefreshToken } from '../database/entities/sign-in.ts'
import { inTransaction } from '../database/transaction.ts'
import { loadAccessClaims } from './access-claims.ts'
import { type Claims, expiryOf } from './claims.ts'
import type { IdentityContext } from './identity-dependencies.ts'
import { denyAccessTokensOfFamilies, findFamiliesBeyond, lockRefreshFamilies } from './queries.ts'

/**
 * A refresh-token family: all refresh tokens that descend from one authorization code. To users it is a
 * session.
 */
type Family = { id: string; expiresAt: Date }

/**
 * Creates a family, and ends the oldest ones of a user who has too many. The family expires after the
 * refresh lifetime, however often it is refreshed. The caller must hold the lock of the user's row.
 */
export async function createRefreshFamily(
  em: EntityManager,
  { identity: { options } }: IdentityContext,
  now: Date,
  session: { claims: Claims['access']; provider: string; userAgent: string },
): Promise<Family> {
  const userId = session.claims.sub
  const excess = await findFamiliesBeyond(em, userId, options.maxSessionsPerUser - 1, now)
  await revokeRefreshFamilies(em, now, excess)
  const family = {
    id: uuid(),
    expiresAt: new Date(now.getTime() + options.lifetimes.refresh * 1000),
  }
  await em.insert(RefreshFamily, {
    id: family.id,
    user_id: userId,
    workspace_id: session.claims.wid,
    provider: session.provider,
    user_agent: session.userAgent,
    created_at: now,
    last_used_at: now,
    expires_at: family.expiresAt,
  })
  return family
}

/**
 * Issues the next access token and refresh token of a family, or returns undefined if the family has
 * expired. Neither token outlives the family.
 *
 * `issuedAt` is the current time, because the call may have waited for locks since it arrived. What is
 * stored is the `exp` of the signed token: a revocation denies the token until then.
 */
export async function issueTokens(
  em: EntityManager,
  { identity: { tokens, options } }: IdentityContext,
  issuedAt: Date,
  family: Family,
  claims: Claims['access'],
): Promise<TokenResponse | undefined> {
  const { sub, wid } = claims
  const iat = expiryOf(issuedAt, 0).getTime()
  const refreshSeconds = Math.floor((family.expiresAt.getTime() - iat) / 1000)
  if (family.expiresAt <= issuedAt || refreshSeconds < 1) return undefined
  const accessSeconds = Math.min(options.lifetimes.access, refreshSeconds)
  const jti = randomUUID()
  await em.insert(RefreshToken, {
    token_id: jti,
    family_id: family.id,
    access_token_id: claims.jti,
    access_expires_at: expiryOf(issuedAt, accessSeconds),
  })
  const [access_token, refresh_token] = await Promise.all([
    tokens.sign('access', claims, accessSeconds, issuedAt),
    tokens.sign('refresh', { sub, jti, wid }, refreshSeconds, issuedAt),
  ])
  return {
    access_token,
    refresh_token,
    token_type: 'Bearer',
    expires_in: accessSeconds,
    refresh_expires_in: refreshSeconds,
    workspace_id: wid,
  }
}

/** Exchanges a refresh token once. A second use revokes its family (RFC 9700, 4.14.2). */
export async function refreshToken(
  context: IdentityContext,
  request: RefreshTokenRequest,
): Promise<TokenResponse> {
  const { jti } = await context.identity.tokens.verify('refresh', request.refresh_token)
  try {
    const tokens = await inTransaction(context.em, (em) => rotate(em, context, jti))
    if (tokens) return tokens
  } catch (error) {
    // The family was revoked concurrently.
    if (!violates(error, 'foreign')) throw error
  }
  throw new ServiceError(
    'unauthenticated',
    'REFRESH_TOKEN_REFUSED',
    'The refresh token is no longer valid',
  )
}

/** Consumes a refresh token and issues the next ones, or returns undefined if it is not valid. */
async function rotate(
  em: EntityManager,
  context: IdentityContext,
  tokenId: string,
): Promise<TokenResponse | undefined> {
  const { now } = context
  const token = await em.findOne(RefreshToken, { token_id: tokenId })
  if (!token) return undefined
  // The family is locked before its token, in the order of a revocation, to prevent deadlocks.
  const lockMode = LockMode.PESSIMISTIC_WRITE
  const family = await em.findOne(RefreshFamily, { id: token.family_id }, { lockMode })
  if (!family) return undefined
  const unused = { token_id: tokenId, consumed_at: null }
  if (!(await em.nativeUpdate(RefreshToken, unused, { consumed_at: now }))) {
    await revokeRefreshFamilies(em, now, [family.id])
    await recordActivity(
      em,
      { actorId: undefined },
      {
        action: 'session.refresh_token_reused',
        targetId: family.id,
        workspaceId: family.workspace_id,
        detail: { user_id: family.user_id },
      },
    )
    return undefined
  }
  const { id, user_id: userId, workspace_id: workspaceId, expires_at: expiresAt } = family
  const claims = await loadAccessClaims(em, { userId, workspaceId })
  if (!claims) return undefined
  await em.nativeUpdate(RefreshFamily, { id }, { last_used_at: now })
  return issueTokens(em, context, context.identity.clock(), { id, expiresAt }, claims)
}

/** Ends the sessions of a user, in one workspace or through one provider or all, except the one with the id `exceptId`. Returns the ids of the ended sessions. */
export async function endSessions(
  em: EntityManager,
  now: Date,
  owner: { user_id: string; workspace_id?: string; provider?: string },
  exceptId?: string,
): Promise<string[]> {
  const families = await em.find(RefreshFamily, owner)
  const ids = families.map(({ id }) => id).filter((id) => id !== exceptId)
  await revokeRefreshFamilies(em, now, ids)
  return ids
}

/**
 * Deletes families with their refresh tokens and denies their access tokens until these expire. Returns
 * how many families still existed.
 */
export async function revokeRefreshFamilies(
  em: EntityManager,
  now: Date,
  familyIds: string[],
): Promise<number> {
  if (familyIds.length === 0) return 0
  // A concurrent refresh has either finished, and its access token is denied below, or it fails.
  await lockRefreshFamilies(em, familyIds)
  await denyAccessTokensOfFamilies(em, familyIds, now)
  return em.nativeDelete(RefreshFamily, { id: { $in: familyIds } })
}
