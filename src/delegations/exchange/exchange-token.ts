import { randomUUID } from 'node:crypto'
import type { OAuthTokenRequest, OAuthTokenResponse } from '../../../gen/daikon/v1/oauth.ts'
import { type DelegatedClaims, expiryOf } from '../../identity/claims.ts'
import type { NoteDelegationUse } from '../../identity/note-delegation-use.ts'
import type { UsableDelegation } from '../store/exchange-store.ts'
import { type AuthenticatedAgent, authenticateAgent } from './agent.ts'
import type { ExchangeContext } from './exchange-context.ts'
import { exchangeRefused, invalidRequest } from './exchange-errors.ts'
import { readSubject, type Subject } from './subject.ts'
import { findDelegatedTarget } from './target.ts'
import { tokenTypes } from './token-urns.ts'

/** The maximum number of seconds for which a delegated token is valid. */
const maxSeconds = 900

/**
 * Exchanges an access token of a user, or the ID of a delegation, for a token by which the agent acts for the
 * user (RFC 8693). It ends with the delegation, and with the user's token if there is one.
 */
export async function exchangeToken(
  context: ExchangeContext,
  noteDelegationUse: NoteDelegationUse,
  request: OAuthTokenRequest,
): Promise<OAuthTokenResponse> {
  const { requested_token_type: requestedType } = request
  if (requestedType && requestedType !== tokenTypes.accessToken)
    throw invalidRequest(`requested_token_type must be ${tokenTypes.accessToken}`)
  const agent = await authenticateAgent(context, request)
  const subject = await readSubject(context, request)
  const delegation = await findDelegation(context, agent, subject)
  if (!agent || !subject || !delegation) throw exchangeRefused()
  const target = await findDelegatedTarget(context, delegation, subject, request)

  const issuedAt = context.identity.clock()
  const seconds = limitSeconds(issuedAt, delegation, subject)
  const jti = randomUUID()
  await record(context, subject, jti, expiryOf(issuedAt, seconds))
  const claims: DelegatedClaims = {
    sub: delegation.userId,
    jti,
    wid: delegation.workspaceId,
    act: { sub: agent.id, typ: agent.type },
    delegation_id: delegation.id,
    ...(target && { scope: target.scope }),
    ...(agent.type === 'client' && { client_id: agent.id }),
  }
  const { tokens } = context.identity
  const access_token = await tokens.signDelegated(claims, target?.uri, seconds, issuedAt)
  noteDelegationUse(delegation.id, issuedAt)
  return {
    access_token,
    issued_token_type: tokenTypes.accessToken,
    token_type: 'Bearer',
    expires_in: seconds,
    refresh_token: '',
    refresh_expires_in: 0,
    scope: target?.scope ?? '',
    workspace_id: delegation.workspaceId,
  }
}

/** The ID of nothing. */
const nil = '00000000-0000-0000-0000-000000000000'

/** Asks also if nothing can be found, so that all refusals take the same time. */
function findDelegation(
  { stores }: ExchangeContext,
  agent: AuthenticatedAgent | undefined,
  subject: Subject | undefined,
): Promise<UsableDelegation | undefined> {
  const { delegationId, userId, workspaceId, token, limit } = subject ?? { delegationId: nil }
  return stores.exchanges.findUsable({
    agent: agent ?? { type: 'client', id: nil },
    id: delegationId,
    userId,
    workspaceId,
    serviceName: limit?.resource.service,
    tokenIds: [token?.id, agent?.tokenId].filter((id) => id !== undefined),
  })
}

/** Returns for how many seconds a token is valid: never beyond what it ends with. */
function limitSeconds(issuedAt: Date, { expiresAt }: UsableDelegation, { token }: Subject): number {
  const now = Math.floor(issuedAt.getTime() / 1000)
  const ends = [new Date(expiresAt).getTime() / 1000, token?.exp ?? Number.POSITIVE_INFINITY]
  const seconds = Math.min(maxSeconds, ...ends.map((end) => Math.floor(end) - now))
  if (seconds < 1) throw exchangeRefused()
  return seconds
}

/** Records a token that ends with the token of the user. */
async function record(
  { stores }: ExchangeContext,
  { token }: Subject,
  id: string,
  expiresAt: Date,
): Promise<void> {
  if (!token) return
  const entry = { id, subjectTokenId: token.id, expiresAt }
  if (!(await stores.transaction((tx) => tx.exchanges.record(entry)))) throw exchangeRefused()
}
