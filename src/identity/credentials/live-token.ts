import type { PrincipalStatus } from '../../core/caller.ts'
import { ServiceError } from '../../core/errors.ts'
import type { PresentedToken } from '../../core/request-context.ts'
import { reasons } from '../reasons.ts'
import type { UserClaims } from '../token-memory.ts'
import { userInactive } from '../user-errors.ts'

type TokenClaims = Pick<UserClaims, 'jti' | 'exp'>

/** Returns the token of an active user. Throws `unauthenticated` if it has been revoked. */
export function requireLiveToken(status: PrincipalStatus, claims: TokenClaims): PresentedToken {
  if (status.tokenDenied) throw tokenRevoked()
  if (!status.userActive) throw userInactive()
  return toPresentedToken(claims)
}

export function toPresentedToken({ jti, exp }: TokenClaims): PresentedToken {
  return { id: jti, expiresAt: new Date(exp * 1000) }
}

export function tokenRevoked(): ServiceError {
  return new ServiceError(reasons.TOKEN_REVOKED)
}
