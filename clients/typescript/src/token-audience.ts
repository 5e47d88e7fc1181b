import type { AccessTokenClaims } from './results.ts'
import { type DecodedToken, tokenInvalid } from './token-format.ts'

type Claims = Record<string, unknown>

/** The tokens that a caller accepts. */
export type AcceptedTokens = {
  /** The URI of the API that the token must be for. Without one, the token is for everything. */
  audience?: string | undefined
  /** Whether tokens with which an agent acts for a user are accepted, too. */
  delegated?: boolean | undefined
}

const delegatedAudience = 'daikon:delegated'

/**
 * Requires a token for an API, or for everything if no audience is given. An origin is one API with and
 * without a slash. A list of audiences is for none of them.
 *
 * @throws InvalidTokenError
 */
export function requireAccepted(
  { header, claims }: Pick<DecodedToken, 'header' | 'claims'>,
  { audience, delegated = false }: AcceptedTokens,
): void {
  const { aud, type } = claims
  const isDelegated = header.typ === 'dt+jwt' && type === 'delegated'
  if (isDelegated && !delegated) throw tokenInvalid('an agent acts for the user, see `delegated`')
  if (!isDelegated && header.typ !== 'at+jwt') throw tokenInvalid('it is not a daikon access token')
  if (audience === undefined) {
    const isForAll = isDelegated ? aud === delegatedAudience : aud === 'daikon' && type === 'access'
    if (!isForAll) throw tokenInvalid('it is not an access token')
    return
  }
  const isForApi = isDelegated ? aud !== delegatedAudience : type === 'resource_access'
  if (!isForApi || typeof aud !== 'string' || trim(aud) !== trim(audience))
    throw tokenInvalid(`it is not for ${audience}`)
}

const trim = (uri: string) => uri.replace(/^(https?:\/\/[^/]+)\/$/i, '$1')

/** Fills in what tokens for an API and delegated ones do not say about the person. */
export function toClaims(claims: Claims): AccessTokenClaims {
  return { email: '', name: '', wslug: '', wrole: 'viewer', ...claims } as AccessTokenClaims
}
