import type { AuthorizedUser } from '../../gen/daikon/v1/access.ts'
import { createDenial, type ServiceError } from '../core/errors.ts'
import type { Principal, UserPrincipal } from '../core/request-context.ts'
import { tokenMissing } from '../identity/user-errors.ts'
import { reasons } from './reasons.ts'

/** The reasons of errors by which a gateway learns that a request is denied. */
export const denials = [
  reasons.ACCESS_DENIED.name,
  reasons.PATH_AMBIGUOUS.name,
  reasons.ROUTE_UNKNOWN.name,
]

/** Describes the user of an authorized request, or no user. */
export function toAuthorizedUser(user: UserPrincipal | undefined): AuthorizedUser {
  return {
    user_id: user?.id ?? '',
    email: user?.email ?? '',
    workspace_id: user?.workspaceId ?? '',
    role: user?.role ?? '',
  }
}

/** Returns the user of the access token. Throws `unauthenticated` if it is missing or not valid. */
export function requireTokenUser({ user, tokenError }: Principal): UserPrincipal {
  if (!user) throw tokenError ?? tokenMissing()
  return user
}

/** Returns the error of a user who may not perform the action that a request requires. */
export function accessDenied(action: string): ServiceError {
  return createDenial(reasons.ACCESS_DENIED, `The user may not ${action} this resource`)
}
