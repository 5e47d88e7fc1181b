import { ServiceError } from '../core/errors.ts'
import type { UserPrincipal } from '../core/request-context.ts'
import type { Role } from '../core/roles.ts'
import { grant } from './access.ts'
import { createCallWork } from './conditions/work.ts'
import { membershipBits, statusBit } from './engine/bits.ts'
import { compileConditions, maxAttempts } from './engine/conditions/compiled-conditions.ts'
import { digestsOf, judge, type UnmetRequirement } from './engine/conditions/judge.ts'
import { decide } from './engine/facts.ts'
import { reasons } from './reasons.ts'
import type { Resource } from './store/resource-sql.ts'
import type { ResourceStore } from './store/resource-store.ts'

/** The user whose token accompanies a change, and the delegation by which an agent acts for them. */
export type ActingUser = {
  id: string
  role?: Role | undefined
  isGuest?: boolean | undefined
  delegation?: UserPrincipal['delegation']
}

/** Whether a user may perform an action, and why. */
export type Right = {
  isAllowed: boolean
  /** The grants of the user as bits of `grant`. */
  bits: number
  /** The requirements of the action that are not met. */
  unmet: UnmetRequirement[]
}

/**
 * Decides whether a member may perform a built-in action on a resource of the workspace, whatever a
 * delegation covers.
 */
export async function findRight(
  resources: ResourceStore,
  user: ActingUser,
  resource: Pick<Resource, 'id' | 'workspaceId' | 'resourceType'>,
  action: 'manage' | 'edit',
  context: Record<string, unknown> | undefined,
): Promise<Right> {
  const status = statusBit.known | statusBit.active | grant.registered
  const { resourceType } = resource
  const check = {
    action,
    resourceType,
    subject: { userId: user.id },
    input: { context },
    agent: user.delegation?.agent,
  }
  for (let attempt = 1; ; attempt += 1) {
    const facts = await resources.findGrants(resource, user.id)
    if (!facts) return { isAllowed: false, bits: 0, unmet: [] }
    const digests = new Set(digestsOf(facts))
    const compiled = await compileConditions(digests, (missing) =>
      resources.findConditions(missing),
    )
    if (compiled.size < digests.size && attempt < maxAttempts) continue
    const { role = null, isGuest = false } = user
    const bits = facts.bits | status | membershipBits({ role, isGuest })
    const judged = await judge(check, { ...facts, bits }, compiled, createCallWork())
    return { ...judged, isAllowed: decide(action, judged.bits) }
  }
}

/**
 * Requires that the delegation by which an agent acts, if one does, covers an action on a resource. What
 * the user may do is decided by itself.
 *
 * @throws ServiceError `permission_denied`
 */
export async function requireCovered(
  resources: ResourceStore,
  { delegation }: ActingUser,
  { id, resourceType }: Pick<Resource, 'id' | 'resourceType'>,
  action: 'manage' | 'edit',
): Promise<void> {
  if (!delegation || (await resources.isCovered(delegation.id, id, action))) return
  const message = `The delegation has ended or does not cover ${action} on this ${resourceType}`
  throw new ServiceError(reasons.DELEGATION_DOES_NOT_COVER, message)
}

/** Returns the error for a right that a requirement denies, or undefined if none does. */
export function requirementNotMet({ unmet }: Right, action: string): ServiceError | undefined {
  const [first] = unmet
  if (!first) return undefined
  const missing = first.missing.length > 0 ? `; the context lacks ${first.missing.join(', ')}` : ''
  const of = first.isInherited
    ? ` of ${first.resourceType} ${first.externalId ?? first.resourceId}`
    : ''
  const message = `${action} requires the condition ${first.condition}${of}, which is not met${missing}`
  return new ServiceError(reasons.REQUIREMENT_NOT_MET, message)
}
