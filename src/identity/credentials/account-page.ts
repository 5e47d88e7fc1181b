import type { CredentialKind } from '../../core/credential-kind.ts'
import { ServiceError } from '../../core/errors.ts'
import type { FindApiKey } from '../api-keys.ts'
import { reasons } from '../reasons.ts'
import type { TokenMemory, UserClaims } from '../token-memory.ts'
import { delegatedTokenRefused, wrongAudience } from '../user-errors.ts'
import type { VerifyUserToken } from '../user-tokens.ts'
import { createUserKind } from './user.ts'

/** The seconds after a sign-in during which the account page may change how the user signs in. */
const maxSignInAge = 600

/**
 * The access token of the account page, soon after a sign-in. What lets somebody into an account for ever
 * takes more than the token of any app, however fresh, and is refused before anything else is.
 */
export function createAccountPageKind(
  memory: TokenMemory,
  verifyUserToken: VerifyUserToken,
  findApiKey: FindApiKey,
): CredentialKind<UserClaims> {
  const user = createUserKind(memory, verifyUserToken, findApiKey, [])
  return {
    ...user,
    name: 'account_page',
    authenticate(principal, claims, status, call, now, loaded) {
      user.authenticate(principal, claims, status, call, now, loaded)
      if (claims.delegation !== undefined) throw delegatedTokenRefused()
      if (claims.forService !== undefined) throw wrongAudience()
      // A workspace decides whom its connection signs in, and could take over the account.
      if (claims.accountSignIn === undefined || claims.connectionId !== undefined)
        throw new ServiceError(reasons.ACCOUNT_PAGE_ONLY)
      requireRecentSignIn(claims.accountSignIn, now)
    },
  }
}

function requireRecentSignIn(signIn: number | 'unknown', now: Date): void {
  if (signIn !== 'unknown' && now.getTime() <= (signIn + maxSignInAge) * 1000) return
  throw new ServiceError(reasons.SIGN_IN_TOO_OLD, undefined, { maxSignInAge })
}
