import { customRole } from './custom-role.ts'
import type { AssumedBy, GrantKind, GrantOperation, NotApplicable } from './grant-kind.ts'
import type { GrantRule } from './grant-rule.ts'
import { groupRole } from './group-role.ts'
import { groupShare } from './group-share.ts'
import { link } from './link.ts'
import { owner } from './owner.ts'
import { publicVisibility } from './public-visibility.ts'
import { userShare } from './user-share.ts'
import { workspaceRole } from './workspace-role.ts'
import { workspaceVisibility } from './workspace-visibility.ts'

/** Every kind of grant, by the rule that reasons name, in the order in which reasons list them. */
export const kindsOfRules: Record<GrantRule, [GrantKind, ...GrantKind[]]> = {
  workspace_role: [workspaceRole],
  owner: [owner],
  workspace_visibility: [workspaceVisibility],
  public: [publicVisibility],
  share: [userShare],
  group_share: [groupShare],
  custom_role: [customRole, groupRole],
  link: [link],
}

const entries = Object.entries(kindsOfRules) as [GrantRule, GrantKind[]][]

/** Every kind of grant with its rule. */
export const grantKinds = entries.flatMap(([rule, kinds]) =>
  kinds.map((kind) => ({ ...kind, rule })),
)

/** What a kind does in an operation. */
export type GrantPart<Operation extends GrantOperation> = Exclude<
  GrantKind[Operation],
  NotApplicable
>

/** Returns what each kind that takes part in an operation does, in the order of the kinds. */
export function partsOf<Operation extends GrantOperation>(
  operation: Operation,
): { rule: GrantRule; order: number; part: GrantPart<Operation> }[] {
  return grantKinds.flatMap((kind, order) => {
    const part: GrantKind[Operation] = kind[operation]
    return isApplicable(part) ? { rule: kind.rule, order, part: part as GrantPart<Operation> } : []
  })
}

function isApplicable(member: GrantKind[GrantOperation]): boolean {
  return typeof member === 'string' || !('notApplicable' in member)
}

/**
 * Returns the rule of the grants that an assumption gives.
 *
 * @throws Error if no kind of grant, or kinds of several rules, are assumed so
 */
export function ruleAssumedBy(assumption: AssumedBy['assumption'], grantee?: string): GrantRule {
  const found = partsOf('assumedBy').filter(
    ({ part }) => part.assumption === assumption && part.grantee === grantee,
  )
  const [rule, ...others] = new Set(found.map(({ rule }) => rule))
  if (rule === undefined || others.length > 0)
    throw new Error(`Exactly one rule must be assumed by ${assumption} ${grantee ?? ''}`)
  return rule
}

/** The rule of the grants that a membership gives. */
export const memberRule = ruleAssumedBy('membership')

/** Whether grants of a rule are facts about the action (`GrantKind.actionGranted`). */
export function grantsAction(rule: GrantRule): boolean {
  return kindsOfRules[rule].some(({ actionGranted }) => isApplicable(actionGranted))
}
