import type { OAuthTokenRequest } from '../../../gen/daikon/v1/oauth.ts'
import { oauthError } from '../../identity/oauth/oauth-errors.ts'
import type { TokenResource } from '../../identity/ports.ts'
import type { UsableDelegation } from '../store/exchange-store.ts'
import type { ExchangeContext } from './exchange-context.ts'
import type { Subject } from './subject.ts'

/** The API that a delegated token is limited to, and the scopes that it is granted of it. */
export type DelegatedTarget = { uri: string; scope: string }

/**
 * Returns what a delegated token is limited to, or undefined if it is for every API. A token of the user that is
 * limited itself is never exchanged for more.
 *
 * @throws ServiceError `invalid_target` unless the service of the delegation has the API, `invalid_scope` if no
 * requested scope is left
 */
export async function findDelegatedTarget(
  { stores }: ExchangeContext,
  { serviceName }: UsableDelegation,
  { limit }: Subject,
  { resource: uri, scope = '' }: Pick<OAuthTokenRequest, 'resource' | 'scope'>,
): Promise<DelegatedTarget | undefined> {
  const requested = uri ? await stores.tokenResources.findByUri(uri) : undefined
  const resource = uri ? requested : limit?.resource
  const differs = limit !== undefined && resource?.id !== limit.resource.id
  const isRefused = differs || !resource?.isActive || resource.service !== serviceName
  if ((uri || limit) && isRefused)
    throw oauthError('invalid_target', 'The resource is not an active one of the delegation')
  if (!resource) return undefined
  const granted = narrowScopes(resource, limit?.scopes, scope)
  if (granted.length > 0) return { uri: resource.uri, scope: granted.join(' ') }
  throw oauthError('invalid_scope', 'The resource has none of the requested scopes')
}

/** Unknown scopes are dropped. Without a requested one, all are granted. */
function narrowScopes({ scopes }: TokenResource, limit: string[] | undefined, scope: string) {
  const requested = scope.split(' ').filter((name) => name !== '')
  return scopes.filter(
    (name) =>
      (!limit || limit.includes(name)) && (requested.length === 0 || requested.includes(name)),
  )
}
