import { type Field, invalidArgument, UnauthenticatedError } from './errors.ts'
import type { AccessTokenClaims } from './results.ts'

/** How a user must have signed in. Set at least one. */
export type SignInRequirements = {
  /** Seconds since the sign-in, from 60. */
  maxAge?: number | undefined
  /** The class of the sign-in, `acr`. */
  acr?: string | undefined
}

/** The user must sign in again, or in another way (RFC 9470). */
export class StepUpRequiredError extends UnauthenticatedError {
  /** The value of `WWW-Authenticate`. */
  readonly challenge: string

  constructor({ maxAge, acr }: SignInRequirements) {
    const message = 'The user must sign in again'
    super('INSUFFICIENT_USER_AUTHENTICATION', message)
    this.challenge = [
      'Bearer error="insufficient_user_authentication"',
      `error_description="${message}"`,
      ...(maxAge === undefined ? [] : [`max_age="${maxAge}"`]),
      ...(acr === undefined ? [] : [`acr_values="${acr}"`]),
    ].join(', ')
  }
}

/** A user who has just signed in would be sent to sign in again. */
const minMaxAge = 60

/**
 * The smallest `maxAge` that the time of a callback can meet: the provider may have signed the user in
 * long before.
 */
const minUnconfirmedAge = 3600

/**
 * Creates the check of access tokens.
 *
 * @throws InvalidArgumentError
 */
export function createSignInCheck(
  requirements: SignInRequirements,
): (claims: AccessTokenClaims) => void {
  const { maxAge, acr, ...others } = requirements
  const fields: Field[] = Object.keys(others).map((field) => ({ field, message: 'is unknown' }))
  if (maxAge !== undefined && !(Number.isSafeInteger(maxAge) && maxAge >= minMaxAge))
    fields.push({ field: 'maxAge', message: `must be a whole number of seconds from ${minMaxAge}` })
  if (acr !== undefined && !(typeof acr === 'string' && /^[\w.:/-]{1,254}$/.test(acr)))
    fields.push({ field: 'acr', message: 'must be one value without spaces' })
  if (maxAge === undefined && acr === undefined)
    fields.push({ field: '', message: 'maxAge or acr is required' })
  if (fields.length > 0) throw invalidArgument(...fields)
  return (claims) => {
    const isRecent = maxAge === undefined || isWithin(claims, maxAge)
    if (!isRecent || (acr !== undefined && claims.acr !== acr))
      throw new StepUpRequiredError({ maxAge, acr })
  }
}

function isWithin(claims: AccessTokenClaims, maxAge: number): boolean {
  const { auth_time: time, auth_time_unconfirmed: isUnconfirmed } = claims
  // API keys have no sign-in.
  if (typeof time !== 'number' || (isUnconfirmed && maxAge < minUnconfirmedAge)) return false
  return Date.now() / 1000 - time <= maxAge
}
