import type { OAuthTokenRequest } from '../../../gen/daikon/v1/oauth.ts'
import { ServiceError } from '../../core/errors.ts'
import { isUuid } from '../../core/uuid.ts'
import type { TokenResource } from '../../identity/ports.ts'
import type { ExchangeContext } from './exchange-context.ts'
import { invalidRequest } from './exchange-errors.ts'
import { tokenTypes } from './token-urns.ts'

/** For whom an agent acts: what narrows the delegations that it may use, and the new token. */
export type Subject = {
  delegationId?: string
  userId?: string
  /** The only workspace whose delegations the user's token reaches. */
  workspaceId?: string
  /** The access token of the user, with its expiry in seconds since the epoch. */
  token?: { id: string; exp: number }
  /** What the access token of the user is limited to. */
  limit?: { resource: TokenResource; scopes: string[] }
}

type ReadSubject = (
  context: ExchangeContext,
  token: string,
  delegationId: string | undefined,
) => Promise<Subject | undefined>

/** For whom agents act, by `subject_token_type`. */
const subjectTokens: Record<string, ReadSubject> = {
  async [tokenTypes.delegation](_context, token, delegationId) {
    const id = token.toLowerCase()
    const isSame = delegationId === undefined || delegationId === id
    return isUuid(id) && isSame ? { delegationId: id } : undefined
  },

  async [tokenTypes.accessToken](context, token, delegationId) {
    const subject =
      (await readOwnToken(context, token, delegationId)) ?? (await readLimitedToken(context, token))
    return subject && { ...subject, ...(delegationId !== undefined && { delegationId }) }
  },
}

/**
 * Returns for whom an agent acts, or undefined if the subject token is not valid. Whether it has been denied is
 * checked with the delegation.
 *
 * @throws ServiceError `invalid_request` if a parameter is missing or not supported
 */
export async function readSubject(
  context: ExchangeContext,
  request: OAuthTokenRequest,
): Promise<Subject | undefined> {
  const { subject_token: token, subject_token_type: type, delegation_id } = request
  if (!token) throw invalidRequest('subject_token is required')
  if (!type) throw invalidRequest('subject_token_type is required')
  const read = Object.hasOwn(subjectTokens, type) ? subjectTokens[type] : undefined
  if (!read)
    throw invalidRequest(`subject_token_type must be ${Object.keys(subjectTokens).join(' or ')}`)
  const delegationId = delegation_id || undefined
  if (delegationId !== undefined && !isUuid(delegationId)) return undefined
  return read(context, token, delegationId?.toLowerCase())
}

/** Reads an access token for daikon itself. That of a connection reaches its workspace alone. */
async function readOwnToken(
  { identity }: ExchangeContext,
  token: string,
  delegationId: string | undefined,
): Promise<Subject | undefined> {
  const claims = await identity.tokens.verify('access', token).catch(ignoreInvalid)
  if (!claims) return undefined
  const { sub, jti, exp, wid, connection_id } = claims
  const isLimited = delegationId === undefined || connection_id !== undefined
  return { userId: sub, token: { id: jti, exp }, ...(isLimited && { workspaceId: wid }) }
}

/** Reads an access token for an API, which its user agreed to in one workspace. */
async function readLimitedToken(
  { identity, stores }: ExchangeContext,
  token: string,
): Promise<Subject | undefined> {
  const claims = await identity.tokens.verifyForResource(token).catch(ignoreInvalid)
  const resource = claims && (await stores.tokenResources.findByUri(claims.aud))
  if (!resource) return undefined
  const { sub, jti, exp, wid, scope } = claims
  const limit = { resource, scopes: scope.split(' ') }
  return { userId: sub, workspaceId: wid, token: { id: jti, exp }, limit }
}

function ignoreInvalid(error: unknown): undefined {
  if (!(error instanceof ServiceError)) throw error
}
