import type { EntityManager } from '@mikro-orm/postgresql'
import type { Role } from './roles.ts'

/** The id and expiry of the token a caller presented. */
export type PresentedToken = { id: string; expiresAt: Date }

/** A person with a valid access token. */
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

/** A backend service; without a name it is unscoped, as in development mode. */
export type ServicePrincipal = { name: string | undefined }

/** The authenticated caller: whatever the method's tier requires. */
export type Principal = {
  user?: UserPrincipal
  service?: ServicePrincipal
  admin?: AdminPrincipal
}

/** What a handler works with. */
export type RequestContext = {
  principal: Principal
  /** A fork of the entity manager for this call alone. */
  em: EntityManager
  /** When the call arrived. */
  now: Date
  /** Logs a warning for the operator. */
  warn: (text: string) => void
}

/** What a change needs: who makes it, and where. */
export type WriteContext = Pick<RequestContext, 'principal' | 'em'>

/** Handles one method. */
export type Handler<Request, Response> = (
  context: RequestContext,
  request: Request,
) => Promise<Response>

/** The user of a method whose tier requires an access token. */
export function requireUser({ user }: Principal): UserPrincipal {
  if (!user) throw new Error('the tier of this method requires no access token')
  return user
}

/** The administrator of a method whose tier requires an admin token. */
export function requireAdmin({ admin }: Principal): AdminPrincipal {
  if (!admin) throw new Error('the tier of this method requires no admin token')
  return admin
}
