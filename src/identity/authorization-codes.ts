import type { EntityManager } from '@mikro-orm/postgresql'
import type {
  ExchangeTokenRequest,
  ListCodeWorkspacesRequest,
  ListCodeWorkspacesResponse,
  TokenResponse,
} from '../../gen/daikon/v1/auth.ts'
import { recordActivity } from '../activity/record-activity.ts'
import { ServiceError } from '../core/errors.ts'
import type { RequestContext } from '../core/request-context.ts'
import { violates } from '../database/database-errors.ts'
import { AuthorizationCode, BrowserSession } from '../database/entities/sign-in.ts'
import { inTransaction } from '../database/transaction.ts'
import { loadAccessClaims } from './access-claims.ts'
import type { Claims } from './claims.ts'
import type { IdentityContext } from './identity-dependencies.ts'
import { requireSessionClient } from './oauth/session-client.ts'
import { isActiveUser, listWorkspacesOfUser } from './queries.ts'
import {
  createRefreshFamily,
  type IssuedTokens,
  issueTokens,
  revokeRefreshFamilies,
  toTokenResponse,
} from './refresh-families.ts'
import { createSecret, hashSecret, matchesChallenge } from './secret.ts'
import { joinWorkspace, notAMember } from './token-membership.ts'
import { userInactive } from './user-errors.ts'

/** The lifetime of a code, in seconds. */
const codeSeconds = 300

/** The sign-in that a code is issued for. */
export type CodeGrant = {
  userId: string
  provider: string
  codeChallenge: string
  /** The confidential client app of a sign-in that began at `/auth/login`. */
  clientId?: string | undefined
  /** Present if the sign-in began at `/oauth/authorize`. */
  authorization?: {
    clientId: string
    redirectUri: string
    scope: string
    nonce: string | undefined
    workspaceId: string
    browserSessionId: string
  }
}

/** Issues a code to a signed-in user. It can be exchanged once, with the PKCE verifier. */
export async function issueCode(em: EntityManager, now: Date, grant: CodeGrant): Promise<string> {
  const code = createSecret()
  const { authorization } = grant
  await em.insert(AuthorizationCode, {
    code_hash: hashSecret(code),
    user_id: grant.userId,
    provider: grant.provider,
    code_challenge: grant.codeChallenge,
    expires_at: new Date(now.getTime() + codeSeconds * 1000),
    client_id: authorization?.clientId ?? grant.clientId ?? null,
    redirect_uri: authorization?.redirectUri ?? null,
    scope: authorization?.scope ?? null,
    nonce: authorization?.nonce ?? null,
    workspace_id: authorization?.workspaceId ?? null,
    browser_session_id: authorization?.browserSessionId ?? null,
  })
  return code
}

/** Lists the workspaces of the user to whom a code was issued. Does not consume the code. */
export async function listCodeWorkspaces(
  { em, now }: RequestContext,
  request: ListCodeWorkspacesRequest,
): Promise<ListCodeWorkspacesResponse> {
  const code = await requireCode(em, now, request.code)
  await requireActiveUser(em, code.user_id, { lock: false })
  if (code.consumed_at) throw codeRefused()
  const workspaces = await listWorkspacesOfUser(em, code.user_id)
  const { workspace_id } = code
  return { workspaces: workspaces.filter(({ id }) => !workspace_id || id === workspace_id) }
}

/** Exchanges a code of a public client for tokens of one workspace. */
export async function exchangeToken(
  context: IdentityContext,
  { code, code_verifier, workspace_id, user_agent }: ExchangeTokenRequest,
): Promise<TokenResponse> {
  const redemption = { code, verifier: code_verifier, userAgent: user_agent }
  return toTokenResponse(
    await redeemCode(context, redemption, async ({ client_id, workspace_id: bound }) => {
      await requireSessionClient(context.em, client_id ?? null)
      if (bound && bound !== workspace_id.toLowerCase()) throw codeRefused()
      return workspace_id
    }),
  )
}

/** A code to exchange, with its PKCE verifier. */
type Redemption = { code: string; verifier: string; userAgent: string | undefined }

export type StoredCode = Awaited<ReturnType<typeof requireCode>>

/**
 * Exchanges a code for tokens. A second use revokes the tokens of the first (RFC 6749, 4.1.2).
 *
 * `authorizeCode` throws if the client may not exchange the code. Otherwise, it returns the
 * workspace to issue the tokens for. It runs before the code is consumed.
 */
export async function redeemCode(
  context: IdentityContext,
  redemption: Redemption,
  authorizeCode: (code: StoredCode) => Promise<string>,
): Promise<IssuedTokens> {
  const { em, now } = context
  const code = await requireCode(em, now, redemption.code)
  if (!matchesChallenge(redemption.verifier, code.code_challenge)) throw codeRefused()
  const workspaceId = await authorizeCode(code)
  const tokens = await exchangeOnce(context, redemption, code, workspaceId)
  if (tokens) return tokens
  context.identity.onReplay('authorization_code')
  await inTransaction(em, async (em) => {
    const stored = await em.findOne(AuthorizationCode, { code_hash: code.code_hash })
    const familyId = stored?.family_id
    // Only the first replay ends a session, so only that one is recorded.
    if (familyId && (await revokeRefreshFamilies(em, now, [familyId])) > 0) {
      const detail = { user_id: code.user_id }
      const event = { action: 'session.code_replayed', targetId: familyId, detail } as const
      await recordActivity(em, { actorId: undefined }, event)
    }
  })
  throw codeRefused()
}

/** Consumes the code and issues tokens, or returns undefined if the code was consumed before. */
async function exchangeOnce(
  context: IdentityContext,
  { userAgent = '' }: Redemption,
  code: StoredCode,
  workspaceId: string,
): Promise<IssuedTokens | undefined> {
  const { now } = context
  const { code_hash, user_id, provider, consumed_at, client_id, scope, nonce } = code
  try {
    return await inTransaction(context.em, async (em) => {
      // Lock the user, so that a concurrent sign-out or deactivation either prevents this session
      // or ends it.
      await requireActiveUser(em, user_id, { lock: true })
      if (consumed_at) return undefined
      const claims = await requireMemberClaims(em, user_id, workspaceId)
      const unused = { code_hash, consumed_at: null, expires_at: { $gt: now } }
      if (!(await em.nativeUpdate(AuthorizationCode, unused, { consumed_at: now })))
        return undefined
      const issuedAt = context.identity.clock()
      const family = await createRefreshFamily(em, context, issuedAt, {
        claims,
        provider,
        userAgent: userAgent
          .replace(/\p{Cc}/gu, ' ')
          .slice(0, 300)
          .toWellFormed(),
        clientId: client_id ?? undefined,
        scope: scope ?? undefined,
        browserSession: await findSessionOfCode(em, code),
      })
      // Keep the code as long as its family, so that even a late second use revokes the family.
      const link = { family_id: family.id, expires_at: family.expiresAt }
      await em.nativeUpdate(AuthorizationCode, { code_hash }, link)
      await joinWorkspace(em, now, claims)
      return issueTokens(em, context, issuedAt, { ...family, nonce: nonce ?? undefined }, claims)
    })
  } catch (error) {
    // The user was removed from the workspace concurrently.
    throw violates(error, 'foreign') ? notAMember() : error
  }
}

async function findSessionOfCode(em: EntityManager, { browser_session_id }: StoredCode) {
  if (!browser_session_id) return undefined
  return (await em.findOne(BrowserSession, { id: browser_session_id })) ?? undefined
}

/** Consumes all unused codes of a user. */
export async function consumeCodes(em: EntityManager, now: Date, user_id: string): Promise<void> {
  await em.nativeUpdate(AuthorizationCode, { user_id, consumed_at: null }, { consumed_at: now })
}

async function requireCode(em: EntityManager, now: Date, code: string) {
  // Read in a fork of the entity manager, because the exchange reads the row again and must see its
  // current state.
  const found = await em.fork().findOne(AuthorizationCode, { code_hash: hashSecret(code) })
  if (found && found.expires_at > now) return found
  throw codeRefused()
}

async function requireActiveUser(
  em: EntityManager,
  userId: string,
  options: { lock: boolean },
): Promise<void> {
  if (!(await isActiveUser(em, userId, options))) throw userInactive()
}

async function requireMemberClaims(
  em: EntityManager,
  userId: string,
  workspaceId: string,
): Promise<Claims['access']> {
  const claims = await loadAccessClaims(em, { userId, workspaceId })
  if (!claims) throw notAMember()
  return claims
}

/**
 * Creates the error for a code that cannot be used. It is the same in all cases, so that it reveals
 * nothing about the code.
 */
export function codeRefused(): ServiceError {
  return new ServiceError(
    'failed_precondition',
    'CODE_REFUSED',
    'The code is unknown, expired or already used, or the code_verifier does not match it',
  )
}
