import { ServiceError } from '../../core/errors.ts'
import type { DelegatedToken, ResourceToken, Token, TokenType } from '../claims.ts'
import type { IdentityContext } from '../identity-dependencies.ts'

const kinds = ['access', 'refresh', 'management'] as const

/** A token that a client obtained at the token endpoint. */
export type IssuedToken = Token<(typeof kinds)[number]> | ResourceToken | DelegatedToken

/** The client, session and scope of an issued token, as far as it has them. */
export type TokenOrigin = {
  clientId?: string | null | undefined
  /** The URL of a client that nobody registered. */
  clientUrl?: string | null
  sessionId?: string | undefined
  scope?: string | null | undefined
  /** The API that the tokens of the session are limited to, if it is a refresh token. */
  resourceId?: string | null
  isConsumed?: boolean
}

/** Returns the claims of a token, or undefined if it is invalid or has expired. */
export async function verifyIssuedToken(
  { identity: { tokens } }: Pick<IdentityContext, 'identity'>,
  token: string,
): Promise<IssuedToken | undefined> {
  const verify = <Kind extends TokenType>(kind: Kind) =>
    tokens.verify(kind, token).catch(ignoreInvalid)
  for (const kind of kinds) {
    const claims = await verify(kind)
    if (claims) return claims
  }
  const limited = await tokens.verifyForResource(token).catch(ignoreInvalid)
  return limited ?? tokens.verifyDelegated(token).catch(ignoreInvalid)
}

/** Returns where a token comes from, or undefined if it is a refresh token whose session has ended. */
export async function findOrigin(
  { sessions }: Pick<IdentityContext['stores'], 'sessions'>,
  token: IssuedToken,
): Promise<TokenOrigin | undefined> {
  switch (token.type) {
    case 'management':
      return { clientId: token.sub }
    case 'delegated':
      return { clientId: token.client_id, scope: token.scope }
    case 'refresh':
      return sessions.findByRefreshToken(token.jti)
    case 'access':
    case 'resource_access': {
      const session = await sessions.findScopeOfAccessToken(token.jti)
      // A token that a client app obtained with its own credentials has no session.
      return session ?? { clientId: token.client_id }
    }
  }
}

function ignoreInvalid(error: unknown): undefined {
  if (!(error instanceof ServiceError)) throw error
}
