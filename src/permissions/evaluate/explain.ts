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

/** A grant that alone allows the action, or why it is not allowed. Absent members do not apply. */
export type Reason = Omit<Grant, 'rule' | 'bits'> & {
  rule: Grant['rule'] | 'workspace_role' | Denial
}

/** Explains a decision: every grant that alone allows the action, or the reason why there is none. */
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
  // A custom role allows its actions only on what the user may view.
  if (!builtInActions.includes(action) && isVisible) {
    for (const { bits, ...reason } of grantList)
      if (reason.rule === 'custom_role') reasons.push(reason)
  }
  return reasons
}

/** Roles that cover the workspace need no grant; which grants would also suffice is asked as an editor. */
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
  // An owner may perform every known action.
  return isAllowed('owner', action, facts.grants) ? 'no_grant' : 'action_unknown'
}
