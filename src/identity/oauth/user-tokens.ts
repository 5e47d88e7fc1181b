import { ServiceError } from '../../core/errors.ts'
import type { Token } from '../claims.ts'
import type { IdentityContext } from '../identity-dependencies.ts'

/**
 * Returns the claims of an access or refresh token, or undefined if it is invalid or has expired.
 */
export async function verifyUserToken(
  { identity: { tokens } }: IdentityContext,
  token: string,
): Promise<Token<'access'> | Token<'refresh'> | undefined> {
  return (
    (await tokens.verify('access', token).catch(ignoreInvalid)) ??
    (await tokens.verify('refresh', token).catch(ignoreInvalid))
  )
}

function ignoreInvalid(error: unknown): undefined {
  if (!(error instanceof ServiceError)) throw error
}
