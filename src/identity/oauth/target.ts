import type { OAuthTokenRequest } from '../../../gen/daikon/v1/oauth.ts'
import type { TokenResource, TokenResources } from '../ports.ts'
import { oauthError } from './oauth-errors.ts'

/** The API that tokens are limited to, and the scopes that they are granted of it. */
export type Target = TokenResource & { scope: string }

/** What a code or session is for. */
type Grant = { resourceId: string | undefined; scope: string | undefined }

/**
 * Returns what the tokens of a code or session are limited to, if it is for an API. Scopes that the API has
 * no longer are gone. A request may name the API again, but no other one (RFC 8707, 2.2). Throws before
 * the code or refresh token is consumed.
 */
export async function findTarget(
  tokenResources: TokenResources,
  { resourceId, scope = '' }: Grant,
  { resource: requested }: Pick<OAuthTokenRequest, 'resource'>,
): Promise<Target | undefined> {
  const resource = resourceId ? await tokenResources.find(resourceId) : undefined
  if (resourceId && !resource?.isActive)
    throw oauthError('invalid_target', 'The resource is not active')
  if (requested && (await tokenResources.findByUri(requested))?.id !== resource?.id)
    throw targetRefused()
  if (!resource) {
    if (requested) throw targetRefused()
    return undefined
  }
  const granted = scope.split(' ').filter((name) => resource.scopes.includes(name))
  if (granted.length > 0) return { ...resource, scope: granted.join(' ') }
  throw oauthError('invalid_grant', 'The resource has none of the granted scopes any more')
}

function targetRefused() {
  return oauthError('invalid_target', 'The resource is not the one of the authorization request')
}
