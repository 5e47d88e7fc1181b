import type { Identity } from './providers/provider.ts'
import { acrOf, sessionProviderOf } from './session-provider.ts'

/** How and when the user of a session authenticated. */
export type Authentication = {
  authenticatedAt: Date
  /** Whether the provider reported `authenticatedAt`, which is the time of the callback otherwise. */
  isTimeReported: boolean
  /** Whether the account page asked for this sign-in, by `prompt=login`. */
  isStepUp: boolean
  /** The authentication methods that the provider reported (RFC 8176). */
  amr: string[]
  /**
   * The authentication context class (OpenID Connect Core 1.0, 2): `phr` after a sign-in by a passkey. It
   * is daikon's own word, and follows from the provider of the session.
   */
  acr?: 'phr' | undefined
}

/** Returns how the person of an identity has authenticated, whose callback arrives now. */
export function authenticationOf(identity: Identity, now: Date, isStepUp = false): Authentication {
  const { time, amr = [] } = identity.authentication ?? {}
  // A provider may have authenticated the user long before it redirected back.
  return {
    authenticatedAt: time && time < now ? time : now,
    isTimeReported: time !== undefined,
    isStepUp,
    amr,
    acr: acrOf(sessionProviderOf(identity)),
  }
}

/** The claims of ID tokens and access tokens about an authentication. */
export type AuthenticationClaims = {
  /** Seconds since the epoch. */
  auth_time?: number
  /**
   * Present if the provider did not report when the user signed in, so that `auth_time` is the time of
   * the callback.
   */
  auth_time_unconfirmed?: true
  amr?: string[]
  acr?: 'phr'
}

export function authenticationClaims(
  authentication: Authentication | undefined,
): AuthenticationClaims {
  if (!authentication) return {}
  const { authenticatedAt, isTimeReported, amr, acr } = authentication
  return {
    auth_time: Math.floor(authenticatedAt.getTime() / 1000),
    ...(!isTimeReported && { auth_time_unconfirmed: true }),
    ...(amr.length > 0 && { amr }),
    ...(acr && { acr }),
  }
}
