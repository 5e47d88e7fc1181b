import type { OAuthTokenRequest } from '../../../gen/daikon/v1/oauth.ts'
import { ServiceError } from '../../core/errors.ts'
import { authenticateClientWithAssertion } from '../../identity/oauth/clients.ts'
import { identifyExternalClient } from '../../identity/oauth/external-clients.ts'
import { oauthError } from '../../identity/oauth/oauth-errors.ts'
import type { Agent } from '../store/delegation-store.ts'
import type { ExchangeContext } from './exchange-context.ts'
import { invalidRequest } from './exchange-errors.ts'
import { tokenTypes } from './token-urns.ts'

/** An agent, and the ID of the token that proves it, if one does. */
export type AuthenticatedAgent = Agent & { tokenId?: string }

type ReadActor = (
  context: ExchangeContext,
  token: string,
) => Promise<AuthenticatedAgent | undefined>

/** How service accounts prove who they are, by `actor_token_type`. */
const actorTokens: Record<string, ReadActor> = {
  async [tokenTypes.apiKey]({ findApiKey, now }, key) {
    const owner = await findApiKey(key, now)
    return owner && { type: 'service_account', id: owner.userId, tokenId: owner.keyId }
  },

  // No person is a service account of a delegation, so the tokens of people find none.
  async [tokenTypes.accessToken]({ identity }, token) {
    const claims = await identity.tokens.verify('access', token).catch(ignoreInvalid)
    return claims && { type: 'service_account', id: claims.sub, tokenId: claims.jti }
  },
}

/**
 * Authenticates the agent of a request: a confidential client as everywhere at the token endpoint, or a service
 * account by its actor token. Returns undefined if the actor token is not valid.
 *
 * @throws ServiceError `invalid_client` if the client cannot be authenticated, `invalid_request` if the request
 * does both
 */
export async function authenticateAgent(
  context: ExchangeContext,
  request: OAuthTokenRequest,
): Promise<AuthenticatedAgent | undefined> {
  const { actor_token: token, actor_token_type: type } = request
  if (!token && !type) return authenticateClientAgent(context, request)
  if (!token) throw invalidRequest('actor_token is required with actor_token_type')
  if (!type) throw invalidRequest('actor_token_type is required with actor_token')
  if (authenticatesClient(request))
    throw invalidRequest('The request authenticates both a client and a service account')
  const read = Object.hasOwn(actorTokens, type) ? actorTokens[type] : undefined
  if (read) return read(context, token)
  throw invalidRequest(`actor_token_type must be ${Object.keys(actorTokens).join(' or ')}`)
}

async function authenticateClientAgent(
  context: ExchangeContext,
  request: OAuthTokenRequest,
): Promise<AuthenticatedAgent> {
  if (identifyExternalClient(context, request))
    throw oauthError(
      'unauthorized_client',
      'A client that is known by its URL cannot act for users by delegations',
    )
  const client = await authenticateClientWithAssertion(context, request)
  if (client.type === 'confidential') return { type: 'client', id: client.id }
  throw oauthError('invalid_client', 'Token exchange requires a confidential client')
}

/** Whether a request has credentials of a client. Its ID alone is none. */
function authenticatesClient({
  authorization = '',
  client_secret,
  client_assertion,
  client_assertion_type,
}: OAuthTokenRequest): boolean {
  const sent = [client_secret, client_assertion, client_assertion_type]
  return sent.some((credential) => credential !== undefined) || /^basic /i.test(authorization)
}

function ignoreInvalid(error: unknown): undefined {
  if (!(error instanceof ServiceError)) throw error
}
