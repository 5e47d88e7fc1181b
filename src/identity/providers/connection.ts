import { isLoopbackHttp } from '../../core/loopback.ts'
import { authorityOf, discover, endpointNames } from './discovery.ts'
import type { DiscoveryDocument } from './documents.ts'
import { createRequestOptions, type SendToProvider } from './http-client.ts'
import { createOidcProvider, fetchKeys } from './oidc.ts'
import { isTrue, readAddress, readAvatarUrl, readName, readSubject } from './profile.ts'
import type { ConnectionName, Provider } from './provider.ts'
import { toResult } from './provider-error.ts'

/** The settings of the provider of a connection, with its secret in plain text. */
export type ConnectionProviderSettings = {
  id: string
  issuer: string
  clientId: string
  clientSecret: string
  scopes: string[]
}

const prefix = 'connection:'

export function connectionName(id: string): ConnectionName {
  return `${prefix}${id}`
}

/** Returns the ID in the name of a connection's provider, or undefined for any other name. */
export function readConnectionId(name: string): string | undefined {
  const isConnection = /^connection:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(name)
  return isConnection ? name.slice(prefix.length) : undefined
}

/**
 * Creates the provider of a connection. It asserts addresses without verifying them one by one, so
 * `emailVerified` is false only if it says that an address is not verified. The caller trusts addresses
 * of verified domains alone.
 */
export function createConnectionProvider(
  { id, issuer, clientId, clientSecret, scopes }: ConnectionProviderSettings,
  send: SendToProvider,
  timeout: number,
): Provider {
  const name = connectionName(id)
  const scope = [...new Set(['openid', ...scopes])].join(' ')
  return createOidcProvider(
    {
      name,
      grant: { clientId, clientSecret, scope, pkce: true, nonce: true },
      authority: authorityOf(issuer),
      isOwnIssuer: (candidate) => candidate === issuer,
      loginPrompt: 'login',
      userInfoClaims: ['email', 'email_verified'],
      send,
      configuration: JSON.stringify([issuer, clientId]),
      readIdentity(claims) {
        const address = readAddress(claims.email, isTrue(claims.email_verified ?? true))
        return {
          provider: name,
          subject: readSubject(claims.sub),
          ...address,
          name: readName(claims.name, address.email?.split('@')[0]),
          givenName: readName(claims.given_name),
          familyName: readName(claims.family_name),
          avatarUrl: readAvatarUrl(claims.picture),
          claims,
        }
      },
    },
    timeout,
  )
}

/** What an issuer publishes, or why it cannot be used, as a message that completes "issuer …". */
export type IssuerInspection = { server: DiscoveryDocument } | { problem: string }

/** Reads the configuration and the keys of an issuer. */
export async function inspectIssuer(
  issuer: string,
  send: SendToProvider,
  timeout: number,
  findUrlProblem: (url: URL) => string | undefined,
): Promise<IssuerInspection> {
  const authority = authorityOf(issuer)
  const options = createRequestOptions(timeout, isLoopbackHttp(authority), send)
  const found = await toResult(() => discover(authority, (name) => name === issuer, options))
  if (!found.ok) return { problem: `cannot be discovered: ${found.reason}` }
  const problem = findEndpointProblem(found.value, findUrlProblem)
  if (problem) return { problem }
  const keys = await toResult(() => fetchKeys(found.value, options))
  if (!keys.ok) return { problem: `has no readable keys: ${keys.reason}` }
  const hasRsa = keys.value.some(({ kty, n, e }) => kty === 'RSA' && n && e)
  return hasRsa ? { server: found.value } : { problem: 'has no RSA key' }
}

function findEndpointProblem(
  server: DiscoveryDocument,
  findUrlProblem: (url: URL) => string | undefined,
): string | undefined {
  for (const name of endpointNames) {
    const url = server[name]
    const problem = typeof url === 'string' && findUrlProblem(new URL(url))
    if (problem) return `has a ${name} that ${problem}`
  }
  const { response_types_supported: responseTypes } = server
  if (responseTypes && !responseTypes.includes('code'))
    return 'does not support the response type code'
  const { code_challenge_methods_supported: methods } = server
  if (methods && !methods.includes('S256')) return 'does not support PKCE with S256'
  const algorithms = server.id_token_signing_alg_values_supported
  const signs = !algorithms || algorithms.includes('RS256')
  return signs ? undefined : 'does not sign ID tokens with RS256'
}
