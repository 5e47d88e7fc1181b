import type { OAuthTokenRequest, OAuthTokenResponse } from '../../gen/daikon/v1/oauth.ts'
import type { FindApiKey } from './api-keys.ts'
import type { IdentityContext } from './identity-dependencies.ts'

/** Issues tokens to agents that act for users (RFC 8693). */
export type TokenExchange = {
  /** Whether the server exchanges tokens. */
  isEnabled: boolean
  /** Authenticates the agent of a request and issues its token. Throws an error of OAuth. */
  exchange(
    context: IdentityContext & { findApiKey: FindApiKey },
    request: OAuthTokenRequest,
  ): Promise<OAuthTokenResponse>
}

/** The `grant_type` of token exchange (RFC 8693, 2.1). */
export const tokenExchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange'

/** Without delegations, no tokens are exchanged. */
export const noTokenExchange: TokenExchange = {
  isEnabled: false,
  exchange() {
    throw new Error('The server exchanges no tokens')
  },
}
