import * as oauth from 'oauth4webapi'
import { checkCallback } from './callback.ts'
import type { Step } from './outbound.ts'
import type { LoginSecrets } from './provider.ts'
import { ProviderError } from './provider-error.ts'

/** How a code grant is made with one provider. */
export type CodeGrant = {
  clientId: string
  clientSecret: string
  scope: string
  /** RFC 7636, S256: sent whether or not the provider announces it. */
  pkce: boolean
  /** OpenID Connect's; only where there is an ID token to carry it. */
  nonce: boolean
}

/** Our side of the grant, in the protocol library's terms. */
export function clientOf({ clientId }: CodeGrant): oauth.Client {
  return {
    client_id: clientId,
    id_token_signed_response_alg: 'RS256',
    [oauth.clockTolerance]: 30,
  }
}

/** The authorization URL of a new login, and its secrets. */
export async function beginGrant(
  grant: CodeGrant,
  server: oauth.AuthorizationServer,
  redirectUri: string,
): Promise<{ url: string; secrets: LoginSecrets }> {
  const secrets: LoginSecrets = {
    state: oauth.generateRandomState(),
    ...(grant.nonce && { nonce: oauth.generateRandomNonce() }),
    ...(grant.pkce && { codeVerifier: oauth.generateRandomCodeVerifier() }),
  }
  const url = new URL(server.authorization_endpoint ?? '')
  const parameters = {
    response_type: 'code',
    client_id: grant.clientId,
    redirect_uri: redirectUri,
    scope: grant.scope,
    state: secrets.state,
    ...(secrets.nonce && { nonce: secrets.nonce }),
    ...(secrets.codeVerifier && {
      code_challenge: await oauth.calculatePKCECodeChallenge(secrets.codeVerifier),
      code_challenge_method: 'S256',
    }),
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return { url: url.href, secrets }
}

/** Throws unless the callback belongs to the secrets and they are all that this grant needs. */
export function checkLogin(grant: CodeGrant, callback: URLSearchParams, secrets: LoginSecrets) {
  checkCallback(callback, secrets.state)
  // Without this a cookie that lost its verifier would be a login without PKCE.
  if ((grant.pkce && !secrets.codeVerifier) || (grant.nonce && !secrets.nonce)) {
    throw new ProviderError('state_mismatch', 'the cookie lacks the verifier or the nonce')
  }
}

/** Exchanges the code of a checked callback; `server.issuer` is what its `iss` must be. */
export async function exchangeCode(
  grant: CodeGrant,
  server: oauth.AuthorizationServer,
  callback: URLSearchParams,
  redirectUri: string,
  { state, codeVerifier }: LoginSecrets,
  step: Step,
): Promise<Response> {
  const client = clientOf(grant)
  const { clientSecret } = grant
  const authentication = clientSecret ? oauth.ClientSecretPost(clientSecret) : oauth.None()
  const parameters = oauth.validateAuthResponse(server, client, callback, state)
  const verifier = codeVerifier ?? oauth.nopkce
  const { authorizationCodeGrantRequest } = oauth
  return authorizationCodeGrantRequest(
    ...([server, client, authentication, parameters, redirectUri, verifier, step] as const),
  )
}
