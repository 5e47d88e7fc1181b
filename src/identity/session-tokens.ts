import { randomUUID } from 'node:crypto'
import type {
  RefreshTokenRequest,
  SwitchWorkspaceRequest,
  TokenResponse,
} from '../../gen/daikon/v1/auth.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { ServiceError } from '../core/errors.ts'
import { violates } from '../database/database-errors.ts'
import { authenticationClaims } from './authentication.ts'
import { type Claims, expiryOf, type ResourceClaims } from './claims.ts'
import type { IdentityContext } from './identity-dependencies.ts'
import { lifetimesOf } from './lifetimes.ts'
import { requireBoundWorkspace, requireSessionClient } from './oauth/session-client.ts'
import type { Target } from './oauth/target.ts'
import type { IdentityPorts } from './ports.ts'
import { readConnectionId } from './providers/connection.ts'
import { reasons } from './reasons.ts'
import type { ClaimsStore } from './store/claims-store.ts'
import { accountClientId, type ClientStore } from './store/client-store.ts'
import type { UserSession } from './store/session-row.ts'
import type { SessionStore } from './store/session-store.ts'
import { notAMember, signInTooWeak, wrongAudience } from './user-errors.ts'

/** The tokens issued for a session, with the data that an ID token requires. */
export type IssuedTokens = {
  session: UserSession
  claims: Claims['access']
  issuedAt: Date
  accessToken: string
  refreshToken: string
  /** Lifetimes in seconds. */
  accessSeconds: number
  refreshSeconds: number
  /** Whether the access token is limited to an API. */
  isForResource: boolean
  /** The nonce of the authorization request; absent after a refresh. */
  nonce?: string | undefined
}

/**
 * Issues the next access token and refresh token of a session, or returns undefined if the session
 * has expired. Neither token outlives the session.
 *
 * `issuedAt` must be the current time rather than the request's, because the call may have waited
 * for locks. The stored expiry is the `exp` of the signed token: a revocation denies the token
 * until then.
 */
export async function issueTokens(
  tx: { sessions: SessionStore },
  { identity: { tokens, settings } }: IdentityContext,
  issuedAt: Date,
  session: UserSession,
  memberClaims: Claims['access'],
  { accessScope, target, clientUrl }: TokenLimits = {},
): Promise<IssuedTokens | undefined> {
  const { clientId } = session
  const scope = accessScope ?? session.scope
  const connectionId = readConnectionId(session.provider)
  const claims = {
    ...memberClaims,
    ...(clientId && { client_id: clientUrl ?? clientId }),
    ...(scope !== undefined && { scope }),
    ...(connectionId !== undefined && { connection_id: connectionId }),
    ...authenticationClaims(session.authentication),
    ...(clientId === accountClientId &&
      session.authentication?.isStepUp && { step_up: true as const }),
  }
  const { sub, wid } = claims
  const iat = expiryOf(issuedAt, 0).getTime()
  const refreshSeconds = Math.floor((session.expiresAt.getTime() - iat) / 1000)
  if (session.expiresAt <= issuedAt || refreshSeconds < 1) return undefined
  const lifetime = target ? resourceTokenSeconds : lifetimesOf(settings).access
  const accessSeconds = Math.min(lifetime, refreshSeconds)
  const jti = randomUUID()
  await tx.sessions.addTokens({
    sessionId: session.id,
    refreshTokenId: jti,
    accessTokenId: claims.jti,
    accessExpiresAt: expiryOf(issuedAt, accessSeconds),
    accessScope,
  })
  const [accessToken, refreshToken] = await Promise.all([
    target
      ? tokens.signForResource(
          toResourceClaims(claims, session),
          target.uri,
          accessSeconds,
          issuedAt,
        )
      : tokens.sign('access', claims, accessSeconds, issuedAt),
    tokens.sign('refresh', { sub, jti, wid }, refreshSeconds, issuedAt),
  ])
  const isForResource = target !== undefined
  const lifetimes = { accessSeconds, refreshSeconds }
  return { session, claims, issuedAt, accessToken, refreshToken, ...lifetimes, isForResource }
}

/** What an access token is limited to. */
type TokenLimits = {
  /** The scope of the access token if it is narrower than the session's. */
  accessScope?: string | undefined
  /** The API that the access token is limited to. */
  target?: Target | undefined
  /** The URL of a client that nobody registered, which the token names it by. */
  clientUrl?: string | undefined
}

/** Seconds for which an access token that is limited to an API is valid. */
const resourceTokenSeconds = 900

/** Omits what only daikon and the client app itself need to know about the person. */
function toResourceClaims(
  claims: Claims['access'],
  { grantId }: Pick<UserSession, 'grantId'>,
): ResourceClaims {
  const { sub, jti, wid, client_id = '', scope = '' } = claims
  const { auth_time, auth_time_unconfirmed, acr } = claims
  return {
    ...{ sub, jti, wid, client_id, scope },
    ...(grantId !== undefined && { gid: grantId }),
    ...(auth_time !== undefined && { auth_time }),
    ...(auth_time_unconfirmed && { auth_time_unconfirmed }),
    ...(acr !== undefined && { acr }),
  }
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
    workspaceId: workspace_id,
    authorizeClient: requirePublicClient,
  }
  return toTokenResponse(await rotateTokens(context, rotation))
}

type RotationStores = Pick<
  IdentityPorts,
  'sessionScope' | 'signInConsents' | 'signInWorkspaces' | 'tokenResources'
> & {
  activity: ActivityStore
  clients: ClientStore
  claims: ClaimsStore
  sessions: SessionStore
}

type Rotation = {
  refreshToken: string
  /** The workspace to move the session to, if it is not the current one. */
  workspaceId?: string | undefined
  /** Throws if the client may not use the token, which then remains valid. */
  authorizeClient: (
    tx: { clients: ClientStore } & Pick<IdentityPorts, 'tokenResources'>,
    session: UserSession,
  ) => Promise<AuthorizedClient>
}

type AuthorizedClient = TokenLimits & {
  /** The only workspace that the client may have tokens for. */
  boundTo: string | null
}

async function requirePublicClient(
  tx: { clients: ClientStore },
  session: UserSession,
): Promise<AuthorizedClient> {
  // Only the token endpoint issues tokens for APIs.
  if (session.resourceId) throw wrongAudience()
  return { boundTo: await requireSessionClient(tx.clients, session) }
}

/** Exchanges a refresh token once. A second use ends its session (RFC 9700, 4.14.2). */
export async function rotateTokens(
  context: IdentityContext,
  rotation: Rotation,
): Promise<IssuedTokens> {
  const { jti } = await context.identity.tokens.verify('refresh', rotation.refreshToken)
  try {
    const tokens = await context.stores.transaction((tx) => rotate(tx, context, jti, rotation))
    if (tokens) return tokens
  } catch (error) {
    // The session was ended, or the user left the other workspace, concurrently.
    if (!violates(error, 'foreign')) throw error
  }
  throw new ServiceError(reasons.REFRESH_TOKEN_REFUSED)
}

/**
 * Consumes a refresh token and issues the next tokens, or returns undefined if it is not valid. A reused
 * token must not throw: the error would roll back the revocation of its session.
 */
async function rotate(
  tx: RotationStores,
  context: IdentityContext,
  tokenId: string,
  { workspaceId: otherWorkspaceId, authorizeClient }: Rotation,
): Promise<IssuedTokens | undefined> {
  const { now } = context
  const locked = await tx.sessions.lockByRefreshToken(tokenId)
  if (!locked) return undefined
  const { session, isConsumed } = locked
  const { boundTo, ...limits } = await authorizeClient(tx, session)
  const switchesTo = otherWorkspaceId === session.workspaceId ? undefined : otherWorkspaceId
  const workspaceId = switchesTo ?? session.workspaceId
  const { id, userId } = session
  const member = { userId, workspaceId }
  // A workspace that the client or connection is not for, or a switch to one that the user is not a
  // member of, fails without consuming the token. If the token is already consumed, its reuse is handled below.
  if (!isConsumed) {
    // The user agreed to access to one workspace.
    requireBoundWorkspace(session.grantId ? session.workspaceId : boundTo, workspaceId)
    if (switchesTo && !(await tx.claims.findAccessClaims(member))) throw notAMember()
    if (switchesTo) await tx.sessionScope.require(session, switchesTo)
    // The connection has lost the user, or another one has been enforced.
    else {
      const access = await tx.sessionScope.find(session, workspaceId)
      if (!access.isAllowed && access.isTooWeak) throw signInTooWeak()
      if (!access.isAllowed) return undefined
    }
  }
  if (!(await tx.sessions.consumeRefreshToken(tokenId, now))) {
    context.identity.onReplay('refresh_token')
    await tx.sessions.revoke([id], now)
    await tx.activity.record(
      { actorId: undefined },
      {
        action: 'session.refresh_token_reused',
        targetId: id,
        workspaceId: session.workspaceId,
        detail: { user_id: userId },
      },
    )
    return undefined
  }
  const claims = await tx.claims.findAccessClaims(member)
  if (!claims) return undefined
  // Otherwise, access tokens of the previous workspace would become valid again if the user left it
  // and rejoined.
  if (switchesTo) await tx.sessions.denyAccessTokens([id], now)
  await tx.sessions.recordRefresh(id, workspaceId, now)
  if (session.grantId) await tx.signInConsents.use(session.grantId, now)
  if (switchesTo) await tx.signInWorkspaces.join(member, now)
  return issueTokens(tx, context, context.identity.clock(), session, claims, limits)
}
