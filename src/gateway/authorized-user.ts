import type { AuthorizedUser } from '../../gen/daikon/v1/access.ts'
import { createDenial, type ServiceError } from '../core/errors.ts'
import type { Principal, UserPrincipal } from '../core/request-context.ts'
import { tokenMissing } from '../identity/user-errors.ts'
import { type Denial, findDenial } from '../permissions/evaluate/reasons.ts'
import { reasons } from './reasons.ts'

/** The reasons of errors by which a gateway learns that a request is denied. */
export const denials = [
  reasons.ACCESS_DENIED.name,
  reasons.DELEGATION_DENIED.name,
  reasons.PATH_AMBIGUOUS.name,
  reasons.ROUTE_UNKNOWN.name,
]

/** Describes the user of an authorized request and their agent, if any, or no user. */
export function toAuthorizedUser(user: UserPrincipal | undefined): AuthorizedUser {
  const delegation = user?.delegation
  return {
    user_id: user?.id ?? '',
    email: user?.email ?? '',
    workspace_id: user?.workspaceId ?? '',
    // An application that trusts the role would let the agent do more than the delegation covers.
    role: delegation ? '' : (user?.role ?? ''),
    agent: delegation ? `${delegation.agent.type}:${delegation.agent.id}` : '',
    delegation_id: delegation?.id ?? '',
  }
}

/** Returns the user of the access token. Throws `unauthenticated` if it is missing or not valid. */
export function requireTokenUser({ user, tokenError }: Principal): UserPrincipal {
  if (!user) throw tokenError ?? tokenMissing()
  return user
}

/**
 * Returns the error of a user who may not perform the action that a request requires. `bits` are the facts of
 * the check.
 */
export function accessDenied(
  action: string,
  { delegation }: UserPrincipal,
  bits = 0,
): ServiceError {
  const denial = delegation && findDenial(action, { bits, kind: 'delegation' })
  const cause = denial && causes[denial]
  if (cause) return createDenial(reasons.DELEGATION_DENIED, cause(action))
  return createDenial(reasons.ACCESS_DENIED, `The user may not ${action} this resource`)
}

/** Describes the denials of delegations, whose users may perform the action. */
const causes: Partial<Record<Denial, (action: string) => string>> = {
  delegation_ended: () => 'The delegation has ended',
  delegation_expired: () => 'The delegation has expired',
  delegation_does_not_cover: (action) => `The delegation does not cover ${action} on this resource`,
}
