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
import { Member } from '../database/entities/people.ts'
import { AuthorizationCode } from '../database/entities/sign-in.ts'
import { inTransaction } from '../database/transaction.ts'
import { loadAccessClaims } from './access-claims.ts'
import type { Claims } from './claims.ts'
import type { IdentityContext } from './identity-dependencies.ts'
import { isActiveUser, listWorkspacesOfUser } from './queries.ts'
import { createRefreshFamily, issueTokens, revokeRefreshFamilies } from './refresh-families.ts'
import { createSecret, hashSecret, matchesChallenge } from './secret.ts'
import { userInactive } from './user-errors.ts'

/** The lifetime of a code, in seconds. */
const codeSeconds = 300

/** Issues a code to a signed-in user. It can be exchanged once, with the PKCE verifier. */
export async function issueCode(
  em: EntityManager,
  now: Date,
  grant: { userId: string; provider: string; codeChallenge: string },
): Promise<string> {
  const code = createSecret()
  await em.insert(AuthorizationCode, {
    code_hash: hashSecret(code),
    user_id: grant.userId,
    provider: grant.provider,
    code_challenge: grant.codeChallenge,
    expires_at: new Date(now.getTime() + codeSeconds * 1000),
  })
  return code
}

/** Lists the workspaces of the user who owns a code. Does not consume the code. */
export async function listCodeWorkspaces(
  { em, now }: RequestContext,
  request: ListCodeWorkspacesRequest,
): Promise<ListCodeWorkspacesResponse> {
  const code = await requireCode(em, now, request.code)
  await requireActiveUser(em, code.user_id, { lock: false })
  if (code.consumed_at) throw codeRefused()
  return { workspaces: await listWorkspacesOfUser(em, code.user_id) }
}

/** Exchanges a code for tokens. A second use revokes the tokens of the first (RFC 6749, 4.1.2). */
export async function exchangeToken(
  context: IdentityContext,
  request: ExchangeTokenRequest,
): Promise<TokenResponse> {
  const { em, now } = context
  const code = await requireCode(em, now, request.code)
  if (!matchesChallenge(request.code_verifier, code.code_challenge)) throw codeRefused()
  const tokens = await exchangeOnce(context, request, code)
  if (tokens) return tokens
  await inTransaction(em, async (em) => {
    const { family_id } = await em.findOneOrFail(AuthorizationCode, { code_hash: code.code_hash })
    // Only the first replay is recorded: it ends the session.
    if (family_id && (await revokeRefreshFamilies(em, now, [family_id])) > 0) {
      const detail = { user_id: code.user_id }
      const event = { action: 'session.code_replayed', targetId: family_id, detail } as const
      await recordActivity(em, { actorId: undefined }, event)
    }
  })
  throw codeRefused()
}

type Code = Awaited<ReturnType<typeof requireCode>>

/** Consumes the code and issues tokens, or returns undefined if the code was consumed before. */
async function exchangeOnce(
  context: IdentityContext,
  { workspace_id, user_agent = '' }: ExchangeTokenRequest,
  { code_hash, user_id, provider, consumed_at }: Code,
): Promise<TokenResponse | undefined> {
  const { now } = context
  try {
    return await inTransaction(context.em, async (em) => {
      // Locked, so that a concurrent sign-out or deactivation either prevents this session or ends it.
      await requireActiveUser(em, user_id, { lock: true })
      if (consumed_at) return undefined
      const claims = await requireMemberClaims(em, user_id, workspace_id)
      const unused = { code_hash, consumed_at: null, expires_at: { $gt: now } }
      if (!(await em.nativeUpdate(AuthorizationCode, unused, { consumed_at: now })))
        return undefined
      const userAgent = user_agent
        .replace(/\p{Cc}/gu, ' ')
        .slice(0, 300)
        .toWellFormed()
      const issuedAt = context.identity.clock()
      const family = await createRefreshFamily(em, context, issuedAt, {
        claims,
        provider,
        userAgent,
      })
      // The code is stored as long as its family, so that a late second use revokes the family too.
      const link = { family_id: family.id, expires_at: family.expiresAt }
      await em.nativeUpdate(AuthorizationCode, { code_hash }, link)
      await em.nativeUpdate(
        Member,
        { user_id, workspace_id: claims.wid, joined_at: null },
        { joined_at: now },
      )
      return issueTokens(em, context, issuedAt, family, claims)
    })
  } catch (error) {
    // The member was removed concurrently.
    throw violates(error, 'foreign') ? notAMember() : error
  }
}

/** Consumes all open codes of a user. */
export async function consumeCodes(em: EntityManager, now: Date, user_id: string): Promise<void> {
  await em.nativeUpdate(AuthorizationCode, { user_id, consumed_at: null }, { consumed_at: now })
}

async function requireCode(em: EntityManager, now: Date, code: string) {
  // In a fork, because the exchange reads the row again and must see its current state.
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

function notAMember(): ServiceError {
  return new ServiceError('permission_denied', 'NOT_A_MEMBER', 'Not a member of this workspace')
}

/** The same error for every code that cannot be used, so that it reveals nothing about the code. */
function codeRefused(): ServiceError {
  return new ServiceError(
    'failed_precondition',
    'CODE_REFUSED',
    'The code is unknown, expired or already used, or the code_verifier does not match it',
  )
}
