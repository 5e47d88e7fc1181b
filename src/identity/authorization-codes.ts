import type {
  ExchangeTokenRequest,
  ListCodeWorkspacesRequest,
  ListCodeWorkspacesResponse,
  TokenResponse,
} from '../../gen/daikon/v1/auth.ts'
import { ServiceError } from '../core/errors.ts'
import type { RequestContext } from '../core/request-context.ts'
import { violates } from '../database/database-errors.ts'
import type { IdentityContext } from './identity-dependencies.ts'
import { lifetimesOf } from './lifetimes.ts'
import {
  findBoundWorkspace,
  requireBoundWorkspace,
  requireSessionClient,
} from './oauth/session-client.ts'
import type { Target } from './oauth/target.ts'
import type { IdentityPorts } from './ports.ts'
import { reasons } from './reasons.ts'
import { matchesChallenge } from './secret.ts'
import { type IssuedTokens, issueTokens, toTokenResponse } from './session-tokens.ts'
import type { ClaimsStore } from './store/claims-store.ts'
import type { ClientStore } from './store/client-store.ts'
import type { CodeStore, StoredCode } from './store/code-store.ts'
import type { UserStore } from './store/user-store.ts'
import { notAMember, userInactive } from './user-errors.ts'

type CodeStores = Pick<IdentityPorts, 'sessionScope'> & {
  clients: ClientStore
  codes: CodeStore
  claims: ClaimsStore
  users: UserStore
}

/** Lists the workspaces of the user to whom a code was issued. Does not consume the code. */
export async function listCodeWorkspaces(
  { stores, now }: RequestContext<CodeStores>,
  request: ListCodeWorkspacesRequest,
): Promise<ListCodeWorkspacesResponse> {
  const code = await requireCode(stores.codes, now, request.code)
  if (!(await stores.users.isActive(code.userId))) throw userInactive()
  if (code.isConsumed) throw codeRefused()
  const all = await stores.claims.listWorkspaces(code.userId)
  const workspaces = await stores.sessionScope.filter(code, all)
  const boundTo = await findBoundWorkspace(stores.clients, code)
  const only = [code.workspaceId, boundTo].filter((id) => typeof id === 'string')
  return {
    workspaces: workspaces
      .filter(({ id }) => only.every((workspaceId) => id === workspaceId))
      .map(({ inviter: _, ...workspace }) => workspace),
  }
}

/** Exchanges a code of a public client for tokens of one workspace. */
export async function exchangeToken(
  context: IdentityContext,
  { code, code_verifier, workspace_id, user_agent }: ExchangeTokenRequest,
): Promise<TokenResponse> {
  const redemption = { code, verifier: code_verifier, userAgent: user_agent }
  return toTokenResponse(
    await redeemCode(context, redemption, async (stored) => {
      const boundTo = await requireSessionClient(context.stores.clients, stored)
      requireBoundWorkspace(boundTo, workspace_id)
      const { workspaceId: authorized } = stored
      if (authorized && authorized !== workspace_id) throw codeRefused()
      // Only the token endpoint issues tokens for APIs.
      if (stored.resourceId) throw codeRefused()
      return { workspaceId: workspace_id }
    }),
  )
}

/** What a code is exchanged for. */
type Authorized = {
  workspaceId: string
  /** The API that the access token is limited to. */
  target?: Target | undefined
  /** The URL of a client that nobody registered, which tokens name it by. */
  clientUrl?: string | undefined
}

/** A code to exchange, with its PKCE verifier if it has a challenge. */
type Redemption = { code: string; verifier: string | undefined; userAgent: string | undefined }

/**
 * Exchanges a code for tokens. A second use revokes the tokens of the first (RFC 6749, 4.1.2).
 *
 * `authorizeCode` throws if the client may not exchange the code. Otherwise, it returns what to issue the
 * tokens for. It runs before the code is consumed.
 */
export async function redeemCode(
  context: IdentityContext,
  redemption: Redemption,
  authorizeCode: (code: StoredCode) => Promise<Authorized>,
): Promise<IssuedTokens> {
  const { stores, now } = context
  const code = await requireCode(stores.codes, now, redemption.code)
  if (!isVerified(redemption, code)) throw codeRefused()
  const authorized = await authorizeCode(code)
  const tokens = await exchangeOnce(context, redemption, code, authorized)
  if (tokens) return tokens
  context.identity.onReplay('authorization_code')
  await stores.transaction(async (tx) => {
    const sessionId = await tx.codes.findSessionId(code.hash)
    // Only the first replay ends a session, so only that one is recorded.
    if (sessionId && (await tx.sessions.revoke([sessionId], now)) > 0) {
      const detail = { user_id: code.userId }
      const event = { action: 'session.code_replayed', targetId: sessionId, detail } as const
      await tx.activity.record({ actorId: undefined }, event)
    }
  })
  throw codeRefused()
}

/**
 * Returns whether the verifier matches the challenge. A verifier without a challenge is refused,
 * because someone may have removed the challenge from the request (RFC 9700, 2.1.1).
 */
function isVerified({ verifier }: Redemption, { codeChallenge: challenge }: StoredCode): boolean {
  if (!challenge) return !verifier
  return verifier !== undefined && matchesChallenge(verifier, challenge)
}

/** Consumes the code and issues tokens, or returns undefined if the code was consumed before. */
async function exchangeOnce(
  context: IdentityContext,
  { userAgent = '' }: Redemption,
  code: StoredCode,
  { workspaceId, target, clientUrl }: Authorized,
): Promise<IssuedTokens | undefined> {
  const { identity, now, stores } = context
  const { hash, userId, provider, clientId, loginClientId, scope, nonce, browserSessionId } = code
  const { MAX_SESSIONS_PER_USER: maxPerUser } = identity.settings
  try {
    return await stores.transaction(async (tx) => {
      // Lock the user, so that a concurrent sign-out or deactivation either prevents this session
      // or ends it.
      const { isActive } = await tx.users.lock(userId)
      if (!isActive) throw userInactive()
      if (code.isConsumed) return undefined
      const claims = await tx.claims.findAccessClaims({ userId, workspaceId })
      if (!claims) throw notAMember()
      await tx.sessionScope.require(code, claims.wid)
      if (!(await tx.codes.consume(hash, now))) return undefined
      const issuedAt = identity.clock()
      // A node of an earlier version issued a code without it.
      const authentication =
        code.authentication ??
        (browserSessionId === undefined
          ? undefined
          : await tx.browserSessions.findAuthentication(browserSessionId))
      const started = {
        userId,
        workspaceId: claims.wid,
        provider,
        userAgent: userAgent
          .replace(/\p{Cc}/gu, ' ')
          .slice(0, 300)
          .toWellFormed(),
        clientId,
        loginClientId,
        scope,
        browserSessionId,
        authentication,
        resourceId: code.resourceId,
        grantId: code.grantId,
      }
      const limits = { lifetime: lifetimesOf(identity.settings).refresh, maxPerUser }
      const session = await tx.sessions.create(started, issuedAt, limits)
      await tx.codes.linkSession(hash, session)
      await tx.signInWorkspaces.join({ workspaceId: claims.wid, userId }, now)
      const tokens = await issueTokens(tx, context, issuedAt, session, claims, {
        accessScope: target?.scope,
        target,
        clientUrl,
      })
      return tokens && { ...tokens, nonce }
    })
  } catch (error) {
    // The user was removed from the workspace concurrently.
    throw violates(error, 'foreign') ? notAMember() : error
  }
}

async function requireCode(codes: CodeStore, now: Date, code: string): Promise<StoredCode> {
  const found = await codes.find(code, now)
  if (!found) throw codeRefused()
  return found
}

/**
 * Returns the error for a code that cannot be used. It is the same for every cause, so that it
 * reveals nothing about the code.
 */
export function codeRefused(): ServiceError {
  return new ServiceError(reasons.CODE_REFUSED)
}
