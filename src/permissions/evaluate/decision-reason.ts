import { actionFact, coversWorkspace, grant } from '../access.ts'
import { roleOf } from '../engine/bits.ts'
import type { Check } from '../engine/question.ts'
import { findDenial, readLinkDenial } from './reasons.ts'

/**
 * Returns why a check is allowed or denied, from its facts alone: the rule of a grant that is
 * sufficient, or the reason for the denial. Unlike an explanation, it does not name the share, and it
 * does not tell the shares with a user from those with their groups.
 */
export function findReason(
  { action, subject, workspace }: Pick<Check, 'action' | 'subject' | 'workspace'>,
  bits = 0,
): string {
  const denial = findDenial(action, bits)
  if (denial) {
    return subject?.linkId === undefined
      ? denial
      : readLinkDenial(denial, { isOfWorkspace: workspace !== undefined })
  }
  if (!(bits & grant.registered)) return 'public'
  const role = roleOf(bits)
  if (role && coversWorkspace(role)) return 'workspace_role'
  if (bits & grant.owner) return 'owner'
  if (action === 'view' && !(bits & (grant.view | grant.edit)))
    return bits & grant.workspace ? 'workspace_visibility' : 'public'
  if (bits & actionFact.granted && !(bits & grant.action)) return 'custom_role'
  if (action === 'edit' && !(bits & grant.edit)) return 'workspace_visibility'
  if (subject?.linkId !== undefined) return 'link'
  return subject?.groupId === undefined ? 'share' : 'group_share'
}
