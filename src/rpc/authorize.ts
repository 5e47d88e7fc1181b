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
    if (!names(message, serviceField).every((name) => name === service.name))
      throw new Fault('forbidden', 'OTHER_SERVICE', `The key acts for ${service.name} alone`)
  }
}

/** A browser sends the admin cookie for any page; only ours may act with it (contract 7). */
function isTrusted({ door, origin }: Call, adminOrigins: string[]): boolean {
  return door === 'grpc' || origin === true || adminOrigins.includes(origin ?? '')
}

/** The values at a path that may walk into a repeated field. */
function names(value: unknown, [step, ...rest]: string[]): unknown[] {
  if (step === undefined) return [value]
  const next = (value as Record<string, unknown>)[step]
  return Array.isArray(next) ? next.flatMap((item) => names(item, rest)) : names(next, rest)
}
