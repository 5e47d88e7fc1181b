import type { AccessTokenClaims } from './results.ts'

type Claims = Record<string, unknown>

/**
 * Whether a token is for an API, or for everything if no audience is given. An origin is one API with and
 * without a slash. A list of audiences is for none of them.
 */
export function isForAudience({ aud, type }: Claims, audience: string | undefined): boolean {
  if (audience === undefined) return aud === 'daikon' && type === 'access'
  return type === 'resource_access' && typeof aud === 'string' && trim(aud) === trim(audience)
}

const trim = (uri: string) => uri.replace(/^(https?:\/\/[^/]+)\/$/i, '$1')

/** Fills in what a token for an API does not say about the person. */
export function toResourceClaims(claims: Claims): AccessTokenClaims {
  return { email: '', name: '', wslug: '', wrole: 'viewer', ...claims } as AccessTokenClaims
}
