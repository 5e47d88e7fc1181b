import { atLeast } from '../workspaces/roles.ts'
import type { Call } from './call.ts'
import { Fault } from './fault.ts'
import type { Passage, PipelineParts } from './pipeline.ts'

/** Holds the caller to the method's policy: its workspace, its role there, its service. */
export function authorize(
  { operation, call, caller }: Passage,
  { adminOrigins }: PipelineParts,
): void {
  const { leastRole, workspaceField, serviceField, safe } = operation.policy
  const message = call.message as Record<string, unknown>
  const { user, service } = caller
  if (user && workspaceField) {
    if (String(message[workspaceField]).toLowerCase() !== user.workspaceId)
      throw new Fault('forbidden', 'OTHER_WORKSPACE', 'The token is for another workspace')
  }
  if (user && leastRole) {
    if (!user.role)
      throw new Fault('forbidden', 'NOT_A_MEMBER', 'Not a member of the workspace any more')
    if (!atLeast(user.role, leastRole))
      throw new Fault('forbidden', 'ROLE_TOO_LOW', `The role ${leastRole} is needed at least`)
  }
  if (caller.admin && !safe && !isTrusted(call, adminOrigins))
    throw new Fault('forbidden', 'ORIGIN_REFUSED', 'The request comes from another site')
  if (service?.name !== undefined && serviceField) {
    if (!namesOnly(service.name, message, serviceField))
      throw new Fault('forbidden', 'OTHER_SERVICE', `The key acts for ${service.name} alone`)
  }
}

/** A browser sends the admin cookie for any page; only ours may act with it. */
function isTrusted({ door, origin }: Call, adminOrigins: string[]): boolean {
  return door === 'grpc' || origin === true || adminOrigins.includes(origin ?? '')
}

/** Whether every value at the path, which may walk into a repeated field, is this one. */
function namesOnly(name: string, value: unknown, path: string[], at = 0): boolean {
  const step = path[at]
  if (step === undefined) return value === name
  const next = (value as Record<string, unknown>)[step]
  if (!Array.isArray(next)) return namesOnly(name, next, path, at + 1)
  return next.every((item) => namesOnly(name, item, path, at + 1))
}
