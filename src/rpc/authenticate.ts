import { ServiceError } from '../core/errors.ts'
import type {
  AdminPrincipal,
  PresentedToken,
  Principal,
  ServicePrincipal,
  UserPrincipal,
} from '../core/request-context.ts'
import { adminRequired, userInactive } from '../identity/user-errors.ts'
import type { PrincipalStatus } from '../permissions/facts.ts'
import type { Call } from './call.ts'
import type { AdminClaims, UserClaims, VerifiedCredentials } from './credentials.ts'

type AuthenticationDependencies = {
  keysRequired: boolean
  onServiceKeyUsed: (keyHash: string, now: Date) => void
  /** Called if a key is required and the presented one is not valid. */
  onServiceKeyRejected: (keyHash: string, call: Call) => void
}

/**
 * Checks verified credentials against their current status. Throws `unauthenticated` if a
 * credential is no longer valid, and `permission_denied` if the user is no longer an administrator.
 */
export function authenticate(
  { user, admin, service, keyHash }: VerifiedCredentials,
  status: PrincipalStatus | undefined,
  now: Date,
  call: Call,
  { keysRequired, onServiceKeyUsed, onServiceKeyRejected }: AuthenticationDependencies,
): Principal {
  if (!status) return {}
  const principal: Principal = {}
  if (service) {
    const required = keysRequired || status.keysRequired
    const isRejected = required && status.service === undefined
    if (isRejected && keyHash) onServiceKeyRejected(keyHash, call)
    principal.service = required ? requireService(status, keyHash) : { name: undefined }
    if (required && keyHash) onServiceKeyUsed(keyHash, now)
  }
  if (user) principal.user = requireActiveUser(status, user)
  if (admin) principal.admin = requireActiveAdmin(status, admin)
  return principal
}

function requireService(status: PrincipalStatus, keyHash: string | undefined): ServicePrincipal {
  if (status.service !== undefined) return { name: status.service }
  throw keyHash
    ? new ServiceError('unauthenticated', 'SERVICE_KEY_INVALID', 'The service key is not valid')
    : new ServiceError(
        'unauthenticated',
        'SERVICE_KEY_MISSING',
        'A service key is required in the x-service-key header',
      )
}

function requireActiveUser(status: PrincipalStatus, claims: UserClaims): UserPrincipal {
  const token = requireLiveToken(status, claims)
  // The user has left the workspace, or the workspace has been deleted.
  if (!status.role) throw tokenRevoked()
  return { id: claims.sub, workspaceId: claims.wid, role: status.role, token }
}

function requireActiveAdmin(status: PrincipalStatus, claims: AdminClaims): AdminPrincipal {
  const token = requireLiveToken(status, claims)
  if (claims.admin !== true || !status.userAdmin) throw adminRequired()
  return { id: claims.sub, token }
}

function requireLiveToken(
  status: PrincipalStatus,
  { jti, exp }: UserClaims | AdminClaims,
): PresentedToken {
  if (status.tokenDenied) throw tokenRevoked()
  if (!status.userActive) throw userInactive()
  return { id: jti, expiresAt: new Date(exp * 1000) }
}

function tokenRevoked(): ServiceError {
  return new ServiceError('unauthenticated', 'TOKEN_REVOKED', 'The token has been revoked')
}
