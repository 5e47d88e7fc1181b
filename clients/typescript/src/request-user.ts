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
  /** The agent that acts for the user, if one does. */
  agent?: RequestAgent | undefined
}

/** An agent that acts for a user, and the delegation by which it does. */
export type RequestAgent = {
  type: 'service_account' | 'client'
  id: string
  delegationId: string
}

/** Returns the agent of a delegated token. */
export function readAgent({ act, delegation_id }: AccessTokenClaims): RequestAgent | undefined {
  if (!act || delegation_id === undefined) return undefined
  return { type: act.typ, id: act.sub, delegationId: delegation_id }
}
