import { actionFact, coversWorkspace, grant } from '../access.ts'
import { roleOf } from '../engine/bits.ts'
import type { GrantRule } from '../engine/grants/grant-kind.ts'
import type { Check } from '../engine/question.ts'
import { kindOf, type SubjectKindName } from '../engine/subjects/subject-kinds.ts'
import { findDenial } from './reasons.ts'

/** The rules of grants that are shares, as far as facts tell them. */
const rulesOfShares: Record<SubjectKindName, GrantRule> = {
  user: 'share',
  group: 'group_share',
  link: 'link',
}

/**
 * Returns why a check is allowed or denied, from its facts alone: the rule of a grant that is
 * sufficient, or the reason for the denial. Unlike an explanation, it does not name the share, and it
 * does not tell the shares with a user from those with their groups.
 */
export function findReason(
  { action, subject, workspace }: Pick<Check, 'action' | 'subject' | 'workspace'>,
  bits = 0,
): string {
  const kind = kindOf(subject)
  const denial = findDenial(action, { bits, kind, isOfWorkspace: workspace !== undefined })
  if (denial) return denial
  if (!(bits & grant.registered)) return 'public'
  const role = roleOf(bits)
  if (role && coversWorkspace(role)) return 'workspace_role'
  if (bits & grant.owner) return 'owner'
  if (action === 'view' && !(bits & (grant.view | grant.edit)))
    return bits & grant.workspace ? 'workspace_visibility' : 'public'
  if (bits & actionFact.granted && !(bits & grant.action)) return 'custom_role'
  if (action === 'edit' && !(bits & grant.edit)) return 'workspace_visibility'
  return rulesOfShares[kind]
}
