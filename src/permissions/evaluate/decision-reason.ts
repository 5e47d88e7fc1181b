import { actionFact, coversWorkspace, grant, memberFact } from '../access.ts'
import { roleOf } from '../engine/bits.ts'
import type { GrantRule } from '../engine/grants/grant-rule.ts'
import type { Check } from '../engine/question.ts'
import { kindOf, type SubjectKindName } from '../engine/subjects/subject-kinds.ts'
import { findDenial } from './reasons.ts'

/** The rules of grants that are shares, as far as facts tell them. */
const rulesOfShares: Record<SubjectKindName, GrantRule> = {
  user: 'share',
  group: 'group_share',
  link: 'link',
  delegation: 'share',
}

type Facts = Pick<Check, 'action'> & { bits: number; kind: SubjectKindName }

const isShareOf =
  (rule: GrantRule) =>
  ({ kind }: Facts) =>
    rulesOfShares[kind] === rule

/**
 * Whether a grant by a rule allows an allowed action, unless one by a rule before it does. Shares come
 * last, because they are what remains.
 */
const isReason: Record<GrantRule, (facts: Facts) => boolean> = {
  workspace_role({ bits }) {
    const role = roleOf(bits)
    return isOfMember(bits) && role !== undefined && coversWorkspace(role)
  },
  owner: ({ bits }) => isOfMember(bits) && (bits & grant.owner) !== 0,
  custom_role: (facts) =>
    isOfMember(facts.bits) &&
    !isSeen(facts) &&
    (facts.bits & actionFact.granted) !== 0 &&
    (facts.bits & grant.action) === 0,
  workspace_visibility: (facts) =>
    isOfMember(facts.bits) &&
    (isSeen(facts)
      ? (facts.bits & grant.workspace) !== 0
      : facts.action === 'edit' && (facts.bits & grant.edit) === 0),
  public: (facts) => !isOfMember(facts.bits) || isSeen(facts),
  share: isShareOf('share'),
  group_share: isShareOf('group_share'),
  link: isShareOf('link'),
}

const rules = Object.entries(isReason) as [GrantRule, (facts: Facts) => boolean][]

/** Whether the check is about a resource of the workspace. Others may only be public. */
function isOfMember(bits: number): boolean {
  return (bits & grant.registered) !== 0
}

/** Whether the subject may view the resource without a share. */
function isSeen({ action, bits }: Facts): boolean {
  return action === 'view' && (bits & (grant.view | grant.edit)) === 0
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
  // To a guest, the visibility `workspace` is nothing.
  const counted = bits & memberFact.guest ? bits & ~grant.workspace : bits
  const facts = { action, bits: counted, kind }
  return rules.find(([, allows]) => allows(facts))?.[0] ?? rulesOfShares[kind]
}
