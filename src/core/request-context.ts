import type { ServiceError } from './errors.ts'
import type { Role } from './roles.ts'

/** The id and expiry of the token that a caller presented. */
export type PresentedToken = { id: string; expiresAt: Date }

/** A user with a valid access token. */
export type UserPrincipal = {
  id: string
  /** The workspace of the token. */
  workspaceId: string
  /** From the token. */
  email: string
  /** The user's current role in that workspace. */
  role: Role
  token: PresentedToken
  isServiceAccount: boolean
  /** Whether the user is a guest of the workspace. */
  isGuest: boolean
  /** The first characters of the API key that serves as the token, if it is one. */
  apiKeyPrefix: string | undefined
  /**
   * The connection of the workspace that the session began through, if any. Such a session must reach
   * nothing beyond the workspace.
   */
  connectionId: string | undefined
  /** The service whose API the token is limited to, if any. It counts only with a key of that service. */
  forService: string | undefined
  /** The delegation by which an agent acts for the user, if one does. */
  delegation: PresentedDelegation | undefined
}

/** The delegation of a token, and its agent. */
export type PresentedDelegation = {
  id: string
  agent: { type: 'service_account' | 'client'; id: string }
}

/** An administrator with a valid admin token. */
export type AdminPrincipal = { id: string; token: PresentedToken }

/** A management app with a valid token. */
export type ManagementPrincipal = {
  id: string
  /** Its current scopes, as far as its token includes them. */
  scopes: string[]
  token: PresentedToken
}

/** The directory of a company, with the SCIM token of a workspace. */
export type ScimPrincipal = { tokenId: string; workspaceId: string }

/** A backend service. In development mode, it has no name and is not restricted. */
export type ServicePrincipal = { name: string | undefined }

/** The authenticated caller, with the credentials that the method's tier requires. */
export type Principal = {
  user?: UserPrincipal
  service?: ServicePrincipal
  admin?: AdminPrincipal
  managementApp?: ManagementPrincipal
  scim?: ScimPrincipal
  /** Whether an operator runs the handler on the command line. */
  isOperator?: true
  /** Why an access token counts as absent, in methods with `lenient_user`. */
  tokenError?: ServiceError
}

/**
 * The stores of a call, through which handlers read and change data. Outside a transaction, each of
 * their methods commits what it changes.
 *
 * @example
 * await stores.transaction(async (tx) => {
 *   await tx.members.remove(member)
 *   await tx.activity.record(actorOf(principal), { action: 'member.removed', … })
 * })
 */
export type Transactional<Stores> = Stores & {
  /**
   * Runs `work` in a transaction, with the stores of that transaction. `work` runs again if
   * PostgreSQL aborts it because of a deadlock, so it must have no other effects, such as network
   * calls. A transaction in a transaction is a savepoint.
   *
   * @throws what `work` throws, or a ServiceError `unavailable` if BEGIN or COMMIT fails
   */
  transaction<Result>(work: (tx: Transactional<Stores>) => Promise<Result>): Promise<Result>
}

/** The context in which the handler of a call runs, with the stores that it uses. */
export type RequestContext<Stores = object> = {
  principal: Principal
  stores: Transactional<Stores>
  /** When the call arrived. */
  now: Date
  /** The IP address or network that calls are counted for. Absent on the command line. */
  network?: string
  /** Logs a warning for the operator. */
  warn: (text: string) => void
}

/** The part of a context that writes need: who makes the change, and the stores. */
export type WriteContext<Stores> = Pick<RequestContext<Stores>, 'principal' | 'stores'>

/** The handler of a method. */
export type Handler<Request, Response, Stores = object> = (
  context: RequestContext<Stores>,
  request: Request,
) => Promise<Response>

/** Returns the user of a call. The tier of its method must require an access token. */
export function requireUser({ user }: Principal): UserPrincipal {
  if (!user) throw new Error('the tier of this method requires no access token')
  return user
}

/** Whether an administrator or a management app makes the call. */
export function isAdministrative({ admin, managementApp }: Principal): boolean {
  return admin !== undefined || managementApp !== undefined
}

/** Returns the administrator of a call. Its method must accept no management app. */
export function requireAdmin({ admin }: Principal): AdminPrincipal {
  if (!admin) throw new Error('this method accepts callers other than administrators')
  return admin
}
