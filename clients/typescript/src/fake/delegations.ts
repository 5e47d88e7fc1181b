import type { Explanation, Reason } from '../results.ts'
import { type FakeDelegation, type FakeResource, type FakeState, findRole } from './state.ts'

/** What a delegation is asked to cover. */
type Asked = { action: string; type: string; resource: FakeResource | undefined }

/** Adds to a decision about a user what the delegation of an agent says. */
export function decideDelegated(
  state: FakeState,
  delegation: FakeDelegation,
  asked: Asked,
  ofUser: Explanation,
): Explanation {
  const { id: delegationId, agent, expiresAt } = delegation
  const about = { delegationId, agent, ...(expiresAt && { expiresAt }) }
  const denial = findDenial(state, delegation, asked)
  if (denial)
    return {
      allowed: false,
      reasons: [...(ofUser.allowed ? [] : ofUser.reasons), { ...about, ...denial }],
    }
  if (!ofUser.allowed) return ofUser
  return { allowed: true, reasons: [...ofUser.reasons, { rule: 'delegation', ...about }] }
}

function findDenial(
  state: FakeState,
  delegation: FakeDelegation,
  { action, type, resource }: Asked,
): Pick<Reason, 'rule' | 'uncovered'> | undefined {
  const { service, resources } = state
  const { userId, expiresAt, actions, resourceTypes, workspaceId } = delegation
  // A delegation ends with the membership of its user.
  if (!findRole(state, workspaceId, userId)) return { rule: 'delegation_ended' }
  if (expiresAt && expiresAt.getTime() <= Date.now()) return { rule: 'delegation_expired' }
  const rule = 'delegation_does_not_cover'
  // `manage` and workspaces are covered by name alone.
  if (!(actions ? actions.includes(action) : action !== 'manage'))
    return { rule, uncovered: 'action' }
  if (!(resourceTypes ? resourceTypes.includes(type) : type !== 'workspace'))
    return { rule, uncovered: 'type' }
  const isOther =
    delegation.service !== service || (resource && resource.workspaceId !== workspaceId)
  if (isOther || !coversResource(delegation, resource)) return { rule, uncovered: 'resource' }
  return undefined

  function coversResource(
    { resources: listed }: FakeDelegation,
    covered: FakeResource | undefined,
  ): boolean {
    if (!listed) return true
    // A resource that has been unregistered is no longer covered.
    const known = new Set(resources.values())
    for (let one = covered; one; one = one.inherits ? one.parent : undefined)
      if (listed.includes(one) && known.has(one)) return true
    return false
  }
}
