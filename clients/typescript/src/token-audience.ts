import type { AccessTokenClaims } from './results.ts'
import { tokenInvalid } from './token-format.ts'

type Claims = Record<string, unknown>

/**
 * Requires a token for an API, or for everything if no audience is given. An origin is one API with and
 * without a slash. A list of audiences is for none of them.
 *
 * @throws InvalidTokenError
 */
export function requireAudience({ aud, type }: Claims, audience: string | undefined): void {
  if (audience === undefined) {
    if (aud !== 'daikon' || type !== 'access') throw tokenInvalid('it is not an access token')
  } else if (
    type !== 'resource_access' ||
    typeof aud !== 'string' ||
    trim(aud) !== trim(audience)
  ) {
    throw tokenInvalid(`it is not for ${audience}`)
  }
}

const trim = (uri: string) => uri.replace(/^(https?:\/\/[^/]+)\/$/i, '$1')

/** Fills in what a token for an API does not say about the person. */
export function toResourceClaims(claims: Claims): AccessTokenClaims {
  return { email: '', name: '', wslug: '', wrole: 'viewer', ...claims } as AccessTokenClaims
}
