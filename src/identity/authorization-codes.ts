import type { EntityManager } from '@mikro-orm/postgresql'
import type {
  ExchangeTokenRequest,
  ListCodeWorkspacesRequest,
  ListCodeWorkspacesResponse,
  TokenResponse,
} from '../../gen/daikon/v1/auth.ts'
import { ServiceError } from '../core/errors.ts'
import type { RequestContext } from '../core/request-context.ts'
import { violates } from '../database/database-errors.ts'
import { Member } from '../database/entities/people.ts'
import { AuthorizationCode } from '../database/entities/sign-in.ts'
import { inTransaction } from '../database/transaction.ts'
import { loadAccessClaims } from './access-claims.ts'
import type { Claims } from './claims.ts'
import type { IdentityContext } from './identity-dependencies.ts'
import { beginFamily, issuePair, revokeFamilies } from './refresh-families.ts'
import { hashSecret, makeSecret, matchesChallenge } from './secret.ts'
import { userInactive } from './user-errors.ts'

/** Seconds that a code can be exchanged in (specification 8). */
const codeSeconds = 300

/** A code for a user who has signed in; whoever has its verifier may exchange it once. */
export async function issueCode(
  em: EntityManager,
  now: Date,
  grant: { userId: string; provider: string; codeChallenge: string },
): Promise<string> {
  const code = makeSecret()
  await em.insert(AuthorizationCode, {
    code_hash: hashSecret(code),
    user_id: grant.userId,
    provider: grant.provider,
    code_challenge: grant.codeChallenge,
    expires_at: new Date(now.getTime() + codeSeconds * 1000),
  })
  return code
}

/** The workspaces of a code's user; reading does not consume it. */
export async function listCodeWorkspaces(
  { em, now }: RequestContext,
  request: ListCodeWorkspacesRequest,
): Promise<ListCodeWorkspacesResponse> {
  const code = await requireCode(em, now, request.code)
  await requireActive(em, code.user_id)
  if (code.consumed_at) throw codeRefused()
  const workspaces = await em.execute<ListCodeWorkspacesResponse['workspaces']>(
    `select w.id, w.name, w.slug, m.role
     from members m join workspaces w on w.id = m.workspace_id
     where m.user_id = ? order by w.name, w.id`,
    [code.user_id],
  )
  return { workspaces }
}

/** Exchanges a code once; a second time ends what the first one gave (specification 3). */
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
    if (family_id) await revokeFamilies(em, now, [family_id])
  })
  throw codeRefused()
}

type Code = Awaited<ReturnType<typeof requireCode>>

/** The tokens; undefined when the code has been consumed. */
async function exchangeOnce(
  { em, now, identity }: IdentityContext,
  { workspace_id, user_agent = '' }: ExchangeTokenRequest,
  { code_hash, user_id, provider, consumed_at }: Code,
): Promise<TokenResponse | undefined> {
  try {
    return await inTransaction(em, async (em) => {
      // Held: whoever deactivates the user finds this family, or it is not begun.
      await requireActive(em, user_id, 'for share')
      if (consumed_at) return undefined
      const subject = await requireSubject(em, user_id, workspace_id)
      const unused = { code_hash, consumed_at: null, expires_at: { $gt: now } }
      if (!(await em.nativeUpdate(AuthorizationCode, unused, { consumed_at: now })))
        return undefined
      const userAgent = user_agent
        .replace(/\p{Cc}/gu, ' ')
        .slice(0, 300)
        .toWellFormed()
      const lifetime = identity.options.lifetimes.refresh
      const family = await beginFamily(em, now, lifetime, { subject, provider, userAgent })
      // Known for as long as its family: shown again, it ends it.
      const remembered = { family_id: family.id, expires_at: family.expiresAt }
      await em.nativeUpdate(AuthorizationCode, { code_hash }, remembered)
      await em.nativeUpdate(
        Member,
        { user_id, workspace_id: subject.wid, joined_at: null },
        { joined_at: now },
      )
      return issuePair(em, now, identity, family, subject)
    })
  } catch (error) {
    // The membership ended while its family was being made.
    throw violates(error, 'foreign') ? notAMember() : error
  }
}

function notAMember(): ServiceError {
  return new ServiceError('permission_denied', 'NOT_A_MEMBER', 'Not a member of this workspace')
}

async function requireSubject(
  em: EntityManager,
  userId: string,
  workspaceId: string,
): Promise<Claims['access']> {
  const subject = await loadAccessClaims(em, { userId, workspaceId })
  if (subject) return subject
  throw notAMember()
}

async function requireActive(em: EntityManager, userId: string, lock = ''): Promise<void> {
  const sql = `select is_active from users where id = ? ${lock}`
  const [user] = await em.execute<{ is_active: boolean }[]>(sql, [userId])
  if (!user?.is_active) throw userInactive()
}

/** Uses up whatever codes a user has open. */
export async function endCodes(em: EntityManager, now: Date, user_id: string): Promise<void> {
  await em.nativeUpdate(AuthorizationCode, { user_id, consumed_at: null }, { consumed_at: now })
}

/** Apart from what `em` remembers: the exchange reads the same row again, as it has left it. */
async function requireCode(em: EntityManager, now: Date, code: string) {
  const found = await em.fork().findOne(AuthorizationCode, { code_hash: hashSecret(code) })
  if (found && found.expires_at > now) return found
  throw codeRefused()
}

/** One answer for every code that is no use: unknown, expired, consumed, or with another's verifier. */
function codeRefused(): ServiceError {
  return new ServiceError(
    'failed_precondition',
    'CODE_REFUSED',
    'The code is unknown, expired, used or not yours',
  )
}
