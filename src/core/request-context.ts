import type { EntityManager } from '@mikro-orm/postgresql'
import type { Role } from './roles.ts'

/** The id and expiry of the token that a caller presented. */
export type PresentedToken = { id: string; expiresAt: Date }

/** A user with a valid access token. */
export type UserPrincipal = {
  id: string
  /** The workspace of the token. */
  workspaceId: string
  /** The user's current role in that workspace. */
  role: Role
  token: PresentedToken
}

/** An administrator with a valid admin token. */
export type AdminPrincipal = { id: string; token: PresentedToken }

/** A backend service. In development mode, it has no name and is not restricted. */
export type ServicePrincipal = { name: string | undefined }

/** The authenticated caller, with the credentials that the method's tier requires. */
export type Principal = {
  user?: UserPrincipal
  service?: ServicePrincipal
  admin?: AdminPrincipal
}

/** The context in which the handler of a call runs. */
export type RequestContext = {
  principal: Principal
  /** The call's own fork of the entity manager. */
  em: EntityManager
  /** When the call arrived. */
  now: Date
  /** Logs a warning for the operator. */
  warn: (text: string) => void
}

/** The part of a context that writes need: who makes the change, and the entity manager. */
export type WriteContext = Pick<RequestContext, 'principal' | 'em'>

/** The handler of a method. */
export type Handler<Request, Response> = (
  context: RequestContext,
  request: Request,
) => Promise<Response>

/** Returns the user of a call. The tier of its method must require an access token. */
export function requireUser({ user }: Principal): UserPrincipal {
  if (!user) throw new Error('the tier of this method requires no access token')
  return user
}

/** Returns the administrator of a call. The tier of its method must require an admin token. */
export function requireAdmin({ admin }: Principal): AdminPrincipal {
  if (!admin) throw new Error('the tier of this method requires no admin token')
  return admin
}
