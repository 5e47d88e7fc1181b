import type { AccessTokenClaims } from './results.ts'

/** The user of an HTTP request. */
export type RequestUser = {
  /** The verified claims of the access token. */
  claims: AccessTokenClaims
  /** The access token, for `check({ token }, …)` and for `as`. */
  token: string
  /** The client app, if the token is limited to an API. */
  clientId?: string | undefined
  /** The scopes of the token, if it is limited to an API. */
  scopes?: readonly string[] | undefined
}
