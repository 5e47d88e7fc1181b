import { randomUUID } from 'node:crypto'
import { type InferEntity, LockMode } from '@mikro-orm/core'
import type { EntityManager } from '@mikro-orm/postgresql'
import { v7 as uuid } from 'uuid'
import type {
  RefreshTokenRequest,
  SwitchWorkspaceRequest,
  TokenResponse,
} from '../../gen/daikon/v1/auth.ts'
import { recordActivity } from '../activity/record-activity.ts'
import { ServiceError } from '../core/errors.ts'
import { violates } from '../database/database-errors.ts'
import { RefreshFamily, RefreshToken } from '../database/entities/sign-in.ts'
import { inTransaction } from '../database/transaction.ts'
import { loadAccessClaims } from './access-claims.ts'
import { type Claims, expiryOf } from './claims.ts'
import type { IdentityContext } from './identity-dependencies.ts'
import { requireSessionClient } from './oauth/session-client.ts'
import {
  denyAccessTokensOfFamilies,
  findFamiliesBeyond,
  lockRefreshFamilies,
  queueLogoutNotifications,
} from './queries.ts'
import { joinWorkspace, notAMember } from './token-membership.ts'

/**
 * A refresh-token family: all refresh tokens that descend from one authorization code. Users see it
 * as a session.
 */
type Family = {
  id: string
  expiresAt: Date
  /**
   * The client app that started the session, and the granted scope. A session that began at
   * `/auth/login` has no scope, and a client app only if it is confidential.
   */
  clientId?: string | undefined
  scope?: string | undefined
  /** How and when the user authenticated. */
  authenticatedAt?: Date | undefined
  acr?: string | undefined
  amr?: string[]
  /** The nonce of the authorization request. */
  nonce?: string | undefined
}

/** The tokens issued for a family, with the data that an ID token requires. */
export type IssuedTokens = {
  family: Family
  claims: Claims['access']
  issuedAt: Date
  accessToken: string
  refreshToken: string
  /** Lifetimes in seconds. */
  accessSeconds: number
  refreshSeconds: number
}

/** The browser session in which a family was created. */
type FamilyBrowserSession = {
  id: string
  authenticated_at: Date
  acr?: string | null | undefined
  amr: string[]
}

/**
 * Creates a family, and revokes the oldest families of a user who has too many. The family expires
 * after the refresh lifetime, no matter how often it is refreshed. The caller must hold the lock on
 * the user's row.
 */
export async function createRefreshFamily(
  em: EntityManager,
  { identity: { options } }: IdentityContext,
  now: Date,
  session: {
    claims: Claims['access']
    provider: string
    userAgent: string
    clientId?: string | undefined
    scope?: string | undefined
    browserSession?: FamilyBrowserSession | undefined
  },
): Promise<Family> {
  const userId = session.claims.sub
  const excess = await findFamiliesBeyond(em, userId, options.maxSessionsPerUser - 1, now)
  await revokeRefreshFamilies(em, now, excess)
  const { clientId, scope, browserSession } = session
  const family = {
    id: uuid(),
    expiresAt: new Date(now.getTime() + options.lifetimes.refresh * 1000),
    clientId,
    scope,
    authenticatedAt: browserSession?.authenticated_at,
    acr: browserSession?.acr ?? undefined,
    amr: browserSession?.amr ?? [],
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
    client_id: clientId ?? null,
    scope: scope ?? null,
    browser_session_id: browserSession?.id ?? null,
    authenticated_at: family.authenticatedAt ?? null,
    acr: family.acr ?? null,
    amr: browserSession ? family.amr : null,
  })
  return family
}

/**
 * Issues the next access token and refresh token of a family, or returns undefined if the family
 * has expired. Neither token outlives the family.
 *
 * `issuedAt` must be the current time rather than the request's, because the call may have waited
 * for locks. The stored expiry is the `exp` of the signed token: a revocation denies the token
 * until then.
 */
export async function issueTokens(
  em: EntityManager,
  { identity: { tokens, options } }: IdentityContext,
  issuedAt: Date,
  family: Family,
  memberClaims: Claims['access'],
): Promise<IssuedTokens | undefined> {
  const { clientId, scope } = family
  const claims = {
    ...memberClaims,
    ...(clientId && { client_id: clientId }),
    ...(scope !== undefined && { scope }),
  }
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
  const [accessToken, refreshToken] = await Promise.all([
    tokens.sign('access', claims, accessSeconds, issuedAt),
    tokens.sign('refresh', { sub, jti, wid }, refreshSeconds, issuedAt),
  ])
  return { family, claims, issuedAt, accessToken, refreshToken, accessSeconds, refreshSeconds }
}

export function toTokenResponse(issued: IssuedTokens): TokenResponse {
  return {
    access_token: issued.accessToken,
    refresh_token: issued.refreshToken,
    token_type: 'Bearer',
    expires_in: issued.accessSeconds,
    refresh_expires_in: issued.refreshSeconds,
    workspace_id: issued.claims.wid,
  }
}

/** Refreshes the tokens of a public client. */
export async function refreshToken(
  context: IdentityContext,
  { refresh_token }: RefreshTokenRequest,
): Promise<TokenResponse> {
  const rotation = { refreshToken: refresh_token, authorizeClient: requirePublicClient }
  return toTokenResponse(await rotateTokens(context, rotation))
}

/** Exchanges a refresh token of a public client for tokens of another workspace. */
export async function switchWorkspace(
  context: IdentityContext,
  { refresh_token, workspace_id }: SwitchWorkspaceRequest,
): Promise<TokenResponse> {
  const rotation = {
    refreshToken: refresh_token,
    workspaceId: workspace_id.toLowerCase(),
    authorizeClient: requirePublicClient,
  }
  return toTokenResponse(await rotateTokens(context, rotation))
}

type StoredFamily = InferEntity<typeof RefreshFamily>

type Rotation = {
  refreshToken: string
  /** The workspace to move the session to, if it is not the current one. */
  workspaceId?: string | undefined
  /** Throws if the client may not use the token. The token then remains valid. */
  authorizeClient: (em: EntityManager, family: StoredFamily) => Promise<void>
}

function requirePublicClient(em: EntityManager, { client_id }: StoredFamily): Promise<void> {
  return requireSessionClient(em, client_id ?? null)
}

/** Exchanges a refresh token once. A second use revokes its family (RFC 9700, 4.14.2). */
export async function rotateTokens(
  context: IdentityContext,
  rotation: Rotation,
): Promise<IssuedTokens> {
  const { jti } = await context.identity.tokens.verify('refresh', rotation.refreshToken)
  try {
    const tokens = await inTransaction(context.em, (em) => rotate(em, context, jti, rotation))
    if (tokens) return tokens
  } catch (error) {
    // The family was revoked, or the user left the other workspace, concurrently.
    if (!violates(error, 'foreign')) throw error
  }
  throw new ServiceError(
    'unauthenticated',
    'REFRESH_TOKEN_REFUSED',
    'The refresh token is no longer valid',
  )
}

/** Consumes a refresh token and issues the next tokens, or returns undefined if it is not valid. */
async function rotate(
  em: EntityManager,
  context: IdentityContext,
  tokenId: string,
  { workspaceId: otherWorkspaceId, authorizeClient }: Rotation,
): Promise<IssuedTokens | undefined> {
  const { now } = context
  const token = await em.findOne(RefreshToken, { token_id: tokenId })
  if (!token) return undefined
  // Lock the family before its token, in the same order as a revocation, to prevent deadlocks.
  const lockMode = LockMode.PESSIMISTIC_WRITE
  const family = await em.findOne(RefreshFamily, { id: token.family_id }, { lockMode })
  if (!family) return undefined
  await authorizeClient(em, family)
  const switchesTo = otherWorkspaceId === family.workspace_id ? undefined : otherWorkspaceId
  const workspaceId = switchesTo ?? family.workspace_id
  const { id, user_id: userId } = family
  // Switching to a workspace that the user is not a member of fails without consuming the token. If
  // the token is already consumed, its reuse is handled below instead.
  if (switchesTo && !token.consumed_at) {
    if (!(await loadAccessClaims(em, { userId, workspaceId }))) throw notAMember()
  }
  const unused = { token_id: tokenId, consumed_at: null }
  if (!(await em.nativeUpdate(RefreshToken, unused, { consumed_at: now }))) {
    context.identity.onReplay('refresh_token')
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
  const claims = await loadAccessClaims(em, { userId, workspaceId })
  if (!claims) return undefined
  // Otherwise, access tokens of the previous workspace would become valid again if the user left it
  // and rejoined.
  if (switchesTo) await denyAccessTokensOfFamilies(em, [id], now)
  await em.nativeUpdate(RefreshFamily, { id }, { last_used_at: now, workspace_id: workspaceId })
  if (switchesTo) await joinWorkspace(em, now, claims)
  return issueTokens(em, context, context.identity.clock(), toFamily(family), claims)
}

function toFamily(family: StoredFamily): Family {
  return {
    id: family.id,
    expiresAt: family.expires_at,
    clientId: family.client_id ?? undefined,
    scope: family.scope ?? undefined,
    authenticatedAt: family.authenticated_at ?? undefined,
    acr: family.acr ?? undefined,
    amr: family.amr ?? [],
  }
}

/** The owner of the sessions to end: a user, a client app or a browser session. */
type RefreshFamilyOwner =
  | { user_id: string; workspace_id?: string; provider?: string }
  | { client_id: string }
  | { browser_session_id: string }

/**
 * Ends the sessions of an owner, except the one with the id `exceptId`. For a user, they can be
 * limited to one workspace or one provider. Returns the ids of the ended sessions.
 */
export async function endSessions(
  em: EntityManager,
  now: Date,
  owner: RefreshFamilyOwner,
  exceptId?: string,
): Promise<string[]> {
  const families = await em.find(RefreshFamily, owner)
  const ids = families.map(({ id }) => id).filter((id) => id !== exceptId)
  await revokeRefreshFamilies(em, now, ids)
  return ids
}

/**
 * Deletes families with their refresh tokens, and denies their access tokens until they expire.
 * Returns the number of families that still existed.
 */
export async function revokeRefreshFamilies(
  em: EntityManager,
  now: Date,
  familyIds: string[],
): Promise<number> {
  if (familyIds.length === 0) return 0
  // Wait for concurrent refreshes, whose access tokens are then denied below. Later refreshes fail.
  await lockRefreshFamilies(em, familyIds)
  await denyAccessTokensOfFamilies(em, familyIds, now)
  await queueLogoutNotifications(em, familyIds, now)
  return em.nativeDelete(RefreshFamily, { id: { $in: familyIds } })
}
