import type { Role } from '../../core/roles.ts'
import { actionFact, builtInActions, coversWorkspace, grant, isAllowed } from '../access.ts'
import { decide, type EvaluationFacts } from './load-evaluations.ts'
import type { Explanation, Grant } from './load-explanations.ts'

/** Why an action is not allowed. */
export type Denial = (typeof denials)[number]

export const denials = [
  'user_unknown',
  'user_inactive',
  'resource_unknown',
  'not_a_member',
  'action_unknown',
  'no_grant',
] as const

/**
 * A grant that allows the action, or the reason why it is not allowed. Members that do not apply
 * are absent.
 */
export type Reason = Omit<Grant, 'rule' | 'bits'> & {
  rule: Grant['rule'] | 'workspace_role' | Denial
}

/** Explains a decision: returns the grants that allow the action, or the reason for the denial. */
export function findReasons(action: string, explanation: Explanation): Reason[] {
  const denial = findDenial(action, explanation)
  if (denial) return [{ rule: denial }]
  const { role, grants, grantList } = explanation
  const reasons: Reason[] = []
  if (role && coversWorkspace(role)) reasons.push({ rule: 'workspace_role', role })
  const actionFacts = grants & (actionFact.registered | actionFact.granted)
  for (const { bits, ...reason } of grantList) {
    if (isAllowed(roleWithoutCover(role), action, bits | actionFacts)) reasons.push(reason)
  }
  const isVisible = reasons.some(({ rule }) => rule !== 'workspace_role' && rule !== 'owner')
  // A custom role allows its actions only on resources that the user may view.
  if (!builtInActions.includes(action) && isVisible) {
    for (const { bits, ...reason } of grantList)
      if (reason.rule === 'custom_role') reasons.push(reason)
  }
  return reasons
}

/**
 * Replaces a role that covers the workspace, and therefore needs no grant, with `editor`, to find
 * the grants that would also be sufficient.
 */
function roleWithoutCover(role: Role | undefined): Role | undefined {
  return role && coversWorkspace(role) ? 'editor' : role
}

/** Returns why the action is not allowed, or undefined if it is. */
export function findDenial(action: string, facts: EvaluationFacts): Denial | undefined {
  if (decide(facts, action)) return undefined
  if (!facts.userKnown || facts.tokenDenied) return 'user_unknown'
  if (!facts.userActive) return 'user_inactive'
  if (!(facts.grants & grant.registered)) return 'resource_unknown'
  if (!facts.role) return 'not_a_member'
  // A workspace owner may perform every built-in or registered action.
  return isAllowed('owner', action, facts.grants) ? 'no_grant' : 'action_unknown'
}
