import type { AuthorizationServer } from 'oauth4webapi'
import { isSecureUrl } from '../../core/loopback.ts'
import { fetchJson, type Step } from './outbound.ts'
import { ProviderError } from './provider-error.ts'

const hour = 3_600_000

/**
 * Remembers what `load` answers: the first caller waits for it, a failure is not remembered, and
 * after an hour it is renewed in the background, the old answer serving on while that fails.
 */
export function createRenewed<Value>(
  load: () => Promise<Value>,
  now: () => number = () => performance.now(),
): () => Promise<Value> {
  let known: { value: Value; until: number } | undefined
  let loading: Promise<Value> | undefined

  async function renew(): Promise<Value> {
    try {
      const value = await load()
      known = { value, until: now() + hour }
      return value
    } catch (error) {
      if (known) return known.value
      throw error
    } finally {
      loading = undefined
    }
  }

  return async () => {
    if (known && now() < known.until) return known.value
    loading ??= renew()
    return known ? known.value : loading
  }
}

/** Reads an authority's discovery document (OpenID Connect Discovery 1.0). */
export async function discover(
  authority: string,
  ownsIssuer: (issuer: string) => boolean,
  step: Step,
): Promise<AuthorizationServer> {
  const server = await fetchJson(`${authority}/.well-known/openid-configuration`, step)
  const { issuer, authorization_endpoint, token_endpoint, jwks_uri } = server
  if (typeof issuer !== 'string' || !ownsIssuer(issuer)) {
    throw new ProviderError('invalid_response', `${authority} calls itself ${issuer}`)
  }
  for (const endpoint of [authorization_endpoint, token_endpoint, jwks_uri]) {
    if (typeof endpoint !== 'string' || !isSecureUrl(endpoint)) {
      throw new ProviderError(
        'invalid_response',
        `${authority} does not say where its endpoints are`,
      )
    }
  }
  return server as AuthorizationServer
}
