import { ServiceError } from '../core/errors.ts'
import type {
  AdminPrincipal,
  ManagementPrincipal,
  PresentedToken,
  Principal,
  ServicePrincipal,
  UserPrincipal,
} from '../core/request-context.ts'
import { currentScopes } from '../core/scopes.ts'
import { reasons as identityReasons } from '../identity/reasons.ts'
import { serviceKeyMissing } from '../identity/service-keys.ts'
import type { AdminClaims, ManagementClaims, UserClaims } from '../identity/token-memory.ts'
import { adminRequired, connectionSession, userInactive } from '../identity/user-errors.ts'
import type { PrincipalStatus } from '../permissions/engine/question.ts'
import type { Call } from './call.ts'
import type { VerifiedCredentials } from './credentials.ts'
import type { Policy } from './method.ts'
import { reasons } from './reasons.ts'

type AuthenticationDependencies = {
  keysRequired: boolean
  onServiceKeyUsed: (keyHash: string, now: Date) => void
  onApiKeyUsed: (keyId: string, now: Date) => void
  onScimTokenUsed: (tokenId: string, now: Date) => void
  /** Called if a key is required and the presented one is not valid. */
  onServiceKeyRejected: (keyHash: string, call: Call) => void
}

/**
 * Checks verified credentials against their current status. Throws `unauthenticated` if a
 * credential is no longer valid, and `permission_denied` if the user is no longer an administrator or
 * is a service account, or has a session by a connection, that may not call the method.
 */
export function authenticate(
  {
    user,
    admin,
    managementApp,
    scim,
    service,
    keyHash,
    isLenient,
    tokenError,
  }: VerifiedCredentials,
  status: PrincipalStatus | undefined,
  now: Date,
  call: Call,
  {
    acceptsServiceAccounts,
    refusesConnections,
  }: Pick<Policy, 'acceptsServiceAccounts' | 'refusesConnections'>,
  dependencies: AuthenticationDependencies,
  managementScopes?: string[],
): Principal {
  const { keysRequired, onServiceKeyUsed, onServiceKeyRejected, onApiKeyUsed } = dependencies
  if (scim) {
    dependencies.onScimTokenUsed(scim.tokenId, now)
    return { scim }
  }
  if (!status) return {}
  const principal: Principal = {}
  if (service) {
    const required = keysRequired || status.keysRequired
    const isRejected = required && status.service === undefined
    if (isRejected && keyHash) onServiceKeyRejected(keyHash, call)
    if (!required) principal.service = { name: undefined }
    else if (service === 'required') principal.service = requireService(status, keyHash)
    if (required && keyHash) onServiceKeyUsed(keyHash, now)
  }
  if (tokenError) principal.tokenError = tokenError
  if (user && isLenient) Object.assign(principal, findActiveUser(status, user))
  else if (user) principal.user = requireActiveUser(status, user)
  if (principal.user && status.isServiceAccount) {
    if (!acceptsServiceAccounts) throw apiKeyNotAccepted()
    if (principal.user.apiKeyPrefix) onApiKeyUsed(principal.user.token.id, now)
  }
  if (principal.user?.connectionId && refusesConnections) throw connectionSession()
  if (admin) principal.admin = requireActiveAdmin(status, admin)
  if (managementApp) {
    principal.managementApp = requireManagementApp(status, managementApp, managementScopes)
  }
  return principal
}

function requireService(status: PrincipalStatus, keyHash: string | undefined): ServicePrincipal {
  if (status.service !== undefined) return { name: status.service }
  throw keyHash ? new ServiceError(identityReasons.SERVICE_KEY_INVALID) : serviceKeyMissing()
}

function requireActiveUser(status: PrincipalStatus, claims: UserClaims): UserPrincipal {
  const token = requireLiveToken(status, claims)
  // The user has left the workspace, or the workspace has been deleted.
  if (!status.role) throw tokenRevoked()
  const { sub: id, wid: workspaceId, email, apiKeyPrefix, connectionId } = claims
  const { role, isServiceAccount } = status
  return { id, workspaceId, email, role, token, isServiceAccount, apiKeyPrefix, connectionId }
}

/** Returns the user, or the error if the token is no longer valid. */
function findActiveUser(
  status: PrincipalStatus,
  claims: UserClaims,
): Pick<Principal, 'user' | 'tokenError'> {
  try {
    return { user: requireActiveUser(status, claims) }
  } catch (error) {
    return { tokenError: ServiceError.from(error) }
  }
}

function requireActiveAdmin(status: PrincipalStatus, claims: AdminClaims): AdminPrincipal {
  const token = requireLiveToken(status, claims)
  if (claims.admin !== true || !status.userAdmin) throw adminRequired()
  return { id: claims.sub, token }
}

/** `current` are the scopes of the app, or undefined unless it is active. */
function requireManagementApp(
  status: PrincipalStatus,
  { sub: id, ...claims }: ManagementClaims,
  current: string[] | undefined,
): ManagementPrincipal {
  if (status.tokenDenied || !current) throw tokenRevoked()
  return { id, scopes: currentScopes(claims, current), token: presentedToken(claims) }
}

function requireLiveToken(
  status: PrincipalStatus,
  claims: UserClaims | AdminClaims,
): PresentedToken {
  if (status.tokenDenied) throw tokenRevoked()
  if (!status.userActive) throw userInactive()
  return presentedToken(claims)
}

function presentedToken({ jti, exp }: Pick<UserClaims, 'jti' | 'exp'>): PresentedToken {
  return { id: jti, expiresAt: new Date(exp * 1000) }
}

function apiKeyNotAccepted(): ServiceError {
  return new ServiceError(reasons.API_KEY_NOT_ACCEPTED)
}

function tokenRevoked(): ServiceError {
  return new ServiceError(identityReasons.TOKEN_REVOKED)
}
