import { isSecureUrl } from '../../core/loopback.ts'
import { type DiscoveryDocument, readDiscovery } from './documents.ts'
import { fetchJson, type RequestOptions } from './http-client.ts'
import { ProviderError } from './provider-error.ts'

const hour = 3_600_000

/** The endpoints of a provider that daikon sends requests or browsers to. */
export const endpointNames = [
  'authorization_endpoint',
  'token_endpoint',
  'jwks_uri',
  'userinfo_endpoint',
] as const

/**
 * Caches the result of `load`. Only the first callers wait for it. After an hour, it is reloaded in
 * the background, and callers get the previous result until the reload succeeds. Failures are not
 * cached.
 */
export function createCachedLoader<Value>(
  load: () => Promise<Value>,
  now: () => number = () => performance.now(),
): () => Promise<Value> {
  let cached: { value: Value; freshUntil: number } | undefined
  let loading: Promise<Value> | undefined

  async function reload(): Promise<Value> {
    try {
      const value = await load()
      cached = { value, freshUntil: now() + hour }
      return value
    } catch (error) {
      if (cached) return cached.value
      throw error
    } finally {
      loading = undefined
    }
  }

  return async () => {
    if (cached && now() < cached.freshUntil) return cached.value
    loading ??= reload()
    return cached ? cached.value : loading
  }
}

/** The base URL of the discovery document: issuers may end with a slash. */
export function authorityOf(issuer: string): string {
  return issuer.replace(/\/$/, '')
}

/** Reads the discovery document of an authority (OpenID Connect Discovery 1.0, 4). */
export async function discover(
  authority: string,
  isOwnIssuer: (issuer: string) => boolean,
  options: RequestOptions,
): Promise<DiscoveryDocument> {
  const url = `${authority}/.well-known/openid-configuration`
  const server = await fetchJson(url, options, readDiscovery)
  const { issuer } = server
  if (!isOwnIssuer(issuer)) {
    throw new ProviderError('invalid_response', `${authority} names the issuer ${issuer}`)
  }
  for (const name of endpointNames) {
    // The UserInfo endpoint is optional.
    const endpoint = server[name] ?? undefined
    if (endpoint !== undefined && !isSecureUrl(endpoint)) {
      throw new ProviderError(
        'invalid_response',
        `the discovery document of ${authority} has an insecure endpoint`,
      )
    }
  }
  return server
}
