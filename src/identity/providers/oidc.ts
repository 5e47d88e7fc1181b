import { compactVerify, decodeJwt, decodeProtectedHeader, type JWK } from 'jose'
import * as oauth from 'oauth4webapi'
import { isLoopbackHttp } from '../../core/loopback.ts'
import { beginGrant, type CodeGrant, checkCallback, clientOf, exchangeCode } from './code-grant.ts'
import { createCachedLoader, discover } from './discovery.ts'
import { type DiscoveryDocument, readKeySet, readTokenResponse } from './documents.ts'
import {
  createRequestOptions,
  fetchJson,
  type RequestOptions,
  type SendToProvider,
} from './http-client.ts'
import { createKeySet } from './key-set.ts'
import { readAuthentication, readEmail } from './profile.ts'
import type { Identity, Provider, SignInProviderName } from './provider.ts'
import { ProviderError, toResult } from './provider-error.ts'

/** The differences between OpenID Connect providers. */
export type OidcProviderOptions = {
  name: SignInProviderName
  grant: CodeGrant
  /**
   * The base URL of the discovery document, which determines the keys. Never taken from a token.
   */
  authority: string
  /** Whether the authority may use this issuer in discovery, callbacks and ID tokens. */
  isOwnIssuer(issuer: string): boolean
  /** The supported value of `prompt` that is closest to `login`. */
  loginPrompt: 'login' | 'select_account'
  /** The claims that are read from UserInfo if the ID token lacks one of them. */
  userInfoClaims: ('email' | 'email_verified')[]
  /**
   * Reads the claims of a verified ID token. `discoveredIssuer` is the one in the discovery
   * document.
   */
  readIdentity(claims: oauth.IDToken, discoveredIssuer: string): Identity
  /** Replaces how requests are sent. */
  send?: SendToProvider
  /** Changes when the provider is replaced by another of the same name. */
  configuration?: string
}

/** Creates an OpenID Connect provider, which reads the identity from the ID token. */
export function createOidcProvider(
  {
    name,
    grant,
    authority,
    isOwnIssuer,
    readIdentity,
    loginPrompt,
    userInfoClaims,
    ...options
  }: OidcProviderOptions,
  timeout: number,
  now?: () => number,
): Provider {
  const { send, configuration } = options
  const createOptions = () => createRequestOptions(timeout, isLoopbackHttp(authority), send)
  const loadServer = createCachedLoader(() => discover(authority, isOwnIssuer, createOptions()))
  const findKey = createKeySet(async () => fetchKeys(await loadServer(), createOptions()), now)

  /** Verifies the signature of an ID token whose claims are already validated. */
  async function verifySignature(idToken: string, claims: oauth.IDToken): Promise<void> {
    const { kid } = decodeProtectedHeader(idToken)
    const key = await findKey((key) => isSigningKey(key, kid) && isKeyOfIssuer(key, claims))
    if (!key) {
      throw new ProviderError('invalid_response', `${claims.iss} has no signing key ${kid}`)
    }
    await compactVerify(idToken, key, { algorithms: ['RS256'] })
  }

  /**
   * Returns the server metadata with the issuer of a response, which must be one of the authority's
   * own.
   */
  function withIssuer(server: oauth.AuthorizationServer, issuer: unknown) {
    if (issuer === undefined || issuer === null) return server
    if (typeof issuer === 'string' && isOwnIssuer(issuer)) return { ...server, issuer }
    throw new ProviderError('invalid_response', `${issuer} is not an issuer of ${authority}`)
  }

  /** Adds the claims about the address that an ID token lacks, but UserInfo has. */
  async function completeClaims(
    claims: oauth.IDToken,
    server: DiscoveryDocument,
    accessToken: string,
    options: RequestOptions,
  ): Promise<oauth.IDToken> {
    const isComplete = userInfoClaims.every((claim) => (claims[claim] ?? undefined) !== undefined)
    if (isComplete || !server.userinfo_endpoint) return claims
    const client = clientOf(grant)
    const response = await oauth.userInfoRequest(server, client, accessToken, options)
    // Some providers serve UserInfo only for tokens with another audience.
    if (response.status >= 400) return claims
    const found = await oauth.processUserInfoResponse(server, client, claims.sub, response)
    const email = claims.email ?? found.email
    const isSameAddress = readEmail(email) === readEmail(found.email)
    const verified = isSameAddress ? found.email_verified : undefined
    return { ...claims, email, email_verified: claims.email_verified ?? verified }
  }

  return {
    name,
    ...(configuration !== undefined && { configuration }),
    begin: (redirectUri, options = {}) =>
      toResult(async () =>
        beginGrant(grant, await loadServer(), redirectUri, {
          prompt: options.prompt === 'login' ? loginPrompt : options.prompt,
          max_age: options.maxAge === undefined ? undefined : String(options.maxAge),
          login_hint: options.loginHint,
          acr_values: options.acrValues,
        }),
      ),

    complete: (callback, redirectUri, secrets) =>
      toResult(async () => {
        checkCallback(grant, callback, secrets)
        const server = await loadServer()
        const options = createOptions()
        const response = await exchangeCode(
          grant,
          withIssuer(server, callback.get('iss')),
          callback,
          redirectUri,
          secrets,
          options,
        )
        const tokens = await oauth.processAuthorizationCodeResponse(
          withIssuer(server, await readUnverifiedIssuer(response)),
          clientOf(grant),
          response,
          { expectedNonce: secrets.nonce as string, requireIdToken: true },
        )
        const idToken = oauth.getValidatedIdTokenClaims(tokens) as oauth.IDToken
        await verifySignature(tokens.id_token as string, idToken)
        const claims = await completeClaims(idToken, server, tokens.access_token, options)
        const authentication = readAuthentication(idToken)
        return { ...readIdentity(claims, server.issuer), authentication }
      }),
  }
}

/** Fetches the signing keys of a discovered provider. */
export async function fetchKeys(
  { jwks_uri }: DiscoveryDocument,
  options: RequestOptions,
): Promise<JWK[]> {
  const { keys } = await fetchJson(jwks_uri, options, readKeySet)
  return keys
}

/**
 * Returns the issuer of an ID token before its verification, only to select which issuer it must
 * match.
 */
async function readUnverifiedIssuer(response: Response): Promise<unknown> {
  if (response.status !== 200) return undefined
  const { id_token } = readTokenResponse(await response.clone().json())
  return id_token === undefined ? undefined : decodeJwt(id_token).iss
}

function isSigningKey({ kty, use, alg, kid }: JWK, wanted: string | undefined): boolean {
  const isUsable = kty === 'RSA' && (use ?? 'sig') === 'sig' && (alg ?? 'RS256') === 'RS256'
  return isUsable && (wanted === undefined || kid === wanted)
}

/**
 * Microsoft publishes the keys of all tenants in one set. Each key names the issuer that may use
 * it, with `{tenantid}` for any tenant. A key of one tenant must not sign tokens of another.
 */
function isKeyOfIssuer({ issuer }: JWK & { issuer?: unknown }, { iss, tid }: oauth.IDToken) {
  return issuer === undefined || String(issuer).replace('{tenantid}', String(tid)) === iss
}
