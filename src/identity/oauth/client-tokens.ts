import type { OAuthTokenResponse } from '../../../gen/daikon/v1/oauth.ts'

/** Seconds for which a token is valid that a client obtained with its own credentials. */
export const clientTokenSeconds = 900

/** Creates the response for such a token. It has no refresh token (RFC 6749, section 4.4.3). */
export function createClientTokenResponse(
  token: Pick<OAuthTokenResponse, 'access_token' | 'scope' | 'workspace_id'>,
): OAuthTokenResponse {
  return {
    ...token,
    token_type: 'Bearer',
    expires_in: clientTokenSeconds,
    refresh_token: '',
    refresh_expires_in: 0,
  }
}
