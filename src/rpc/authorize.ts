import { otherService, ServiceError } from '../core/errors.ts'
import { reasons as coreReasons } from '../core/reasons.ts'
import type { Principal } from '../core/request-context.ts'
import { atLeast } from '../core/roles.ts'
import { includesScope } from '../core/scopes.ts'
import { reasons as workspaceReasons } from '../workspaces/reasons.ts'
import type { Call } from './call.ts'
import type { Operation } from './operation.ts'
import { reasons } from './reasons.ts'

/**
 * Enforces the policy of the method: the workspace of the token, the role of the user, the origin
 * of administrators' changes and the service of the key. Throws `permission_denied`, or `not_found` if
 * a SCIM token belongs to another workspace.
 */
export function authorize(
  { policy }: Operation,
  call: Call,
  request: object,
  { user, service, admin, scim }: Principal,
  adminOrigins: string[],
): void {
  const { leastRole, workspaceField, serviceField, safe } = policy
  const fields = request as Record<string, unknown>
  // An omitted optional workspace defaults to the workspace of the token.
  if (user && workspaceField && fields[workspaceField] !== undefined) {
    if (fields[workspaceField] !== user.workspaceId) throw new ServiceError(reasons.OTHER_WORKSPACE)
  }
  // As if the workspace did not exist, also for text that is no ID.
  if (scim && fields[workspaceField ?? ''] !== scim.workspaceId)
    throw new ServiceError(workspaceReasons.WORKSPACE_NOT_FOUND)
  if (user && leastRole) {
    if (!atLeast(user.role, leastRole))
      throw new ServiceError(coreReasons.ROLE_TOO_LOW, `Requires the role ${leastRole} or higher`)
  }
  if (admin && !safe && !isTrustedOrigin(call, adminOrigins))
    throw new ServiceError(reasons.ORIGIN_REFUSED)
  if (service?.name !== undefined && serviceField) {
    if (!namesOnly(service.name, fields, serviceField)) throw otherService(service.name)
  }
}

/**
 * Requires the scope of the method from a management app. Throws `permission_denied`. The request is
 * judged later, so that the error names the scope whatever the request contains.
 */
export function requireScope({ policy: { scope } }: Operation, { managementApp }: Principal): void {
  if (!managementApp) return
  if (scope === undefined || scope === 'none')
    throw new ServiceError(reasons.ADMINISTRATOR_REQUIRED)
  if (!includesScope(managementApp.scopes, scope))
    throw new ServiceError(reasons.SCOPE_MISSING, `The management app needs the scope ${scope}`)
}

/** Browsers may attach the admin cookie to requests of other pages, which must not make changes. */
function isTrustedOrigin({ transport, origin }: Call, adminOrigins: string[]): boolean {
  return transport === 'grpc' || origin === true || adminOrigins.includes(origin ?? '')
}

/**
 * Whether every value at the path, which may lead into a repeated field, equals `name` or is
 * absent. A required value cannot be absent here, because the request has been validated.
 */
function namesOnly(name: string, value: unknown, path: string[], depth = 0): boolean {
  const step = path[depth]
  if (step === undefined || value === undefined) return value === undefined || value === name
  const next = (value as Record<string, unknown>)[step]
  if (!Array.isArray(next)) return namesOnly(name, next, path, depth + 1)
  return next.every((item) => namesOnly(name, item, path, depth + 1))
}
