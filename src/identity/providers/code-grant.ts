import * as oauth from 'oauth4webapi'
import { isSameSecret } from '../secret.ts'
import type { RequestOptions } from './http-client.ts'
import type { LoginSecrets } from './provider.ts'
import { ProviderError } from './provider-error.ts'

/** The settings of the authorization code grant (RFC 6749, 4.1) with one provider. */
export type CodeGrant = {
  clientId: string
  clientSecret: string
  scope: string
  /** Whether to use PKCE (RFC 7636, S256), regardless of what the provider's metadata announces. */
  pkce: boolean
  /** Whether to send a nonce (OpenID Connect). Requires an ID token. */
  nonce: boolean
}

/** Returns the client metadata for oauth4webapi. */
export function clientOf({ clientId }: CodeGrant): oauth.Client {
  return {
    client_id: clientId,
    id_token_signed_response_alg: 'RS256',
    [oauth.clockTolerance]: 30,
  }
}

/** Creates the authorization URL of a new login, and its secrets. */
export async function beginGrant(
  grant: CodeGrant,
  server: oauth.AuthorizationServer,
  redirectUri: string,
  /** Additional parameters. Undefined ones are omitted. */
  extra: Record<string, string | undefined> = {},
): Promise<{ url: string; secrets: LoginSecrets }> {
  const secrets: LoginSecrets = {
    state: oauth.generateRandomState(),
    ...(grant.nonce && { nonce: oauth.generateRandomNonce() }),
    ...(grant.pkce && { codeVerifier: oauth.generateRandomCodeVerifier() }),
  }
  const url = new URL(server.authorization_endpoint ?? '')
  const parameters: Record<string, string | undefined> = {
    ...extra,
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
  for (const [name, value] of Object.entries(parameters)) {
    if (value !== undefined) url.searchParams.set(name, value)
  }
  return { url: url.href, secrets }
}

/** Maps errors of the callback (RFC 6749, 4.1.2.1). All others become `provider_error`. */
const callbackErrors = new Map([
  ['access_denied', 'access_denied'],
  ['temporarily_unavailable', 'provider_unavailable'],
] as const)

/**
 * Throws unless the callback belongs to the login with these secrets and has a code. The state is
 * checked first, so that a forged callback reveals nothing and causes no request to the provider.
 */
export function checkCallback(
  grant: CodeGrant,
  callback: URLSearchParams,
  secrets: LoginSecrets,
): void {
  const [state = '', ...repeated] = callback.getAll('state')
  if (secrets.state === '' || repeated.length > 0 || !isSameSecret(state, secrets.state)) {
    throw new ProviderError('state_mismatch', 'the state does not match the cookie')
  }
  for (const name of ['code', 'error', 'iss']) {
    if (callback.getAll(name).length > 1) {
      throw new ProviderError('invalid_response', `${name} is repeated in the callback`)
    }
  }
  const error = callback.get('error')
  if (error !== null) {
    const code = callbackErrors.get(error as 'access_denied') ?? 'provider_error'
    throw new ProviderError(code, `${error}: ${callback.get('error_description')}`)
  }
  if (!callback.get('code') || callback.get('iss') === '') {
    throw new ProviderError('invalid_response', 'the callback has no code, or an empty iss')
  }
  // Otherwise, a cookie without a verifier would disable PKCE.
  if ((grant.pkce && !secrets.codeVerifier) || (grant.nonce && !secrets.nonce)) {
    throw new ProviderError('state_mismatch', 'the cookie has no PKCE verifier or no nonce')
  }
}

/**
 * Exchanges the code of a checked callback. The callback's `iss` must be `server.issuer` (RFC
 * 9207).
 */
export async function exchangeCode(
  grant: CodeGrant,
  server: oauth.AuthorizationServer,
  callback: URLSearchParams,
  redirectUri: string,
  { state, codeVerifier }: LoginSecrets,
  options: RequestOptions,
): Promise<Response> {
  const client = clientOf(grant)
  const { clientSecret } = grant
  return oauth.authorizationCodeGrantRequest(
    server,
    client,
    authenticationWith(clientSecret, server),
    oauth.validateAuthResponse(server, client, callback, state),
    redirectUri,
    codeVerifier ?? oauth.nopkce,
    options,
  )
}

/** Sends the secret in the body, unless the provider only announces the Basic scheme. */
function authenticationWith(
  secret: string,
  { token_endpoint_auth_methods_supported: methods }: oauth.AuthorizationServer,
): oauth.ClientAuth {
  if (secret === '') return oauth.None()
  const isBasic =
    methods?.includes('client_secret_basic') === true && !methods.includes('client_secret_post')
  return isBasic ? oauth.ClientSecretBasic(secret) : oauth.ClientSecretPost(secret)
}
