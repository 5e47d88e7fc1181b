import type { Explanation, Reason } from '../results.ts'
import { workspaceType } from './declarations.ts'
import { type FakeDelegation, type FakeResource, type FakeState, findRole } from './state.ts'

/** What a delegation is asked to cover. */
type Asked = {
  action: string
  type: string
  /** Undefined for a workspace itself. */
  resource: FakeResource | undefined
  /** The workspace of the resource, or the one that is asked about. */
  workspaceId: string | undefined
  /** Whether the resource exists for the user; otherwise it is no reason that it is not covered. */
  isKnown: boolean
}

type Denial = Pick<Reason, 'rule' | 'uncovered' | 'expiresAt'>

/** Adds to a decision about a user what the delegation of an agent says. */
export function decideDelegated(
  state: FakeState,
  delegation: FakeDelegation,
  asked: Asked,
  ofUser: Explanation,
): Explanation {
  const { id: delegationId, agent, expiresAt } = delegation
  const denials = findDenials(state, delegation, asked)
  if (denials.length > 0) {
    const named = denials.map((denial) => ({ delegationId, agent, ...denial }))
    return { allowed: false, reasons: [...(ofUser.allowed ? [] : ofUser.reasons), ...named] }
  }
  if (!ofUser.allowed) return ofUser
  const reason = {
    rule: 'delegation',
    delegationId,
    agent,
    ...(expiresAt && { expiresAt }),
  } as const
  return { allowed: true, reasons: [...ofUser.reasons, reason] }
}

/** Returns why a delegation does not allow what its user may do: nothing if it does. */
function findDenials(state: FakeState, delegation: FakeDelegation, asked: Asked): Denial[] {
  const { userId, workspaceId, expiresAt, isEnded } = delegation
  const isMember = state.users.get(userId)?.isActive && findRole(state, workspaceId, userId)
  if (isEnded || !isMember) return [{ rule: 'delegation_ended' }]
  if (expiresAt && expiresAt.getTime() <= Date.now())
    return [{ rule: 'delegation_expired', expiresAt }]
  return findExceeded(state, delegation, asked).map((uncovered) => ({
    rule: 'delegation_does_not_cover',
    uncovered,
  }))
}

/** Returns what a delegation does not cover. */
function findExceeded(
  state: FakeState,
  delegation: FakeDelegation,
  asked: Asked,
): NonNullable<Reason['uncovered']>[] {
  const { service, actions, resourceTypes } = delegation
  const { action, type, isKnown } = asked
  const coversType = service === state.service && coversName(resourceTypes, type, workspaceType)
  return [
    ...(coversName(actions, action, 'manage') ? [] : ['action' as const]),
    ...(coversType ? [] : ['type' as const]),
    ...(!isKnown || coversResource(state, delegation, asked) ? [] : ['resource' as const]),
  ]
}

/** Whether a list contains a name. One that is null contains all but the name that must be listed. */
function coversName(names: string[] | null, name: string, listedOnly: string): boolean {
  return names ? names.includes(name) : name !== listedOnly
}

function coversResource(
  { resources }: FakeState,
  { resources: listed, ...delegation }: FakeDelegation,
  { resource, workspaceId }: Asked,
): boolean {
  if (workspaceId !== delegation.workspaceId) return false
  if (!listed) return true
  // A resource that has been unregistered is no longer covered.
  const known = new Set(resources.values())
  for (let one = resource; one; one = one.inherits ? one.parent : undefined)
    if (listed.includes(one) && known.has(one)) return true
  return false
}
