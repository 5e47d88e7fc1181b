import type { Role } from '../../core/roles.ts'
import type { StatementPool } from '../../database/statement-pool.ts'
import { builtInActions, coversWorkspace, grant, isAllowed, sufficientGrants } from '../access.ts'
import { reasonsSql } from './explain-query.ts'
import { type EvaluationFacts, findSubject, type NamedCheck } from './load-evaluations.ts'

/** Why an action is not allowed. */
export type Denial =
  | 'user_unknown'
  | 'user_inactive'
  | 'resource_unknown'
  | 'not_a_member'
  | 'action_unknown'
  | 'no_grant'

/** A grant that alone allows the action, or why it is not allowed. Absent members do not apply. */
export type Reason = {
  rule:
    | 'owner'
    | 'workspace_role'
    | 'workspace_visibility'
    | 'share'
    | 'group_share'
    | 'custom_role'
    | Denial
  /** The permission of a share. */
  permission?: string
  /** The role in the workspace, or the name of a custom role. */
  role?: string
  group_id?: string
  share_id?: string
  /** The ancestor on which the grant is, when it is inherited. */
  inherited_from?: { resource_type: string; resource_id: string }
}

/** A row of `reasonsSql`. The last two columns name an ancestor. */
type ReasonRow = [
  rule: Reason['rule'],
  permission: string | null,
  role: string | null,
  groupId: string | null,
  shareId: string | null,
  resourceType: string | null,
  resourceId: string | null,
]

/**
 * Explains a decision: every grant that gives it, or the reason why there is none. `check` is undefined
 * when no user or resource can be meant.
 */
export async function explain(
  statements: StatementPool,
  check: NamedCheck | undefined,
  facts: EvaluationFacts | undefined,
): Promise<Reason[]> {
  const denial = findDenial(check?.action ?? '', facts)
  if (denial || !check || !facts) return [{ rule: denial ?? 'user_unknown' }]
  const { action } = check
  const sufficient = sufficientGrants(facts.role, action, facts.grants)
  const reasons: Reason[] = []
  const { role } = facts
  if (role && coversWorkspace(role)) reasons.push({ rule: 'workspace_role', role })
  const { userId } = await findSubject(statements, check.subject)
  const { service_name, resource_type, resource_id } = check
  const values = [service_name, resource_type, resource_id, userId, action]
  const rows = await statements.rows<ReasonRow>('reasons', reasonsSql, values)
  const found = rows.map(readReason)
  const grants = found.filter(({ rule }) => rule !== 'custom_role')
  const isSufficient = (reason: Reason) =>
    (bitOf(reason) & sufficientWithoutRole(role, action, facts, sufficient)) !== 0
  reasons.push(...grants.filter(isSufficient))
  const isVisible = reasons.some(({ rule }) => rule !== 'workspace_role' && rule !== 'owner')
  // A custom role allows its actions only on what the user may view.
  if (!builtInActions.includes(action) && isVisible)
    reasons.push(...found.filter(({ rule }) => rule === 'custom_role'))
  return reasons
}

/** The roles that cover a workspace need no other grant, but may have some that others need. */
function sufficientWithoutRole(
  role: Role | undefined,
  action: string,
  { grants }: EvaluationFacts,
  sufficient: number,
): number {
  return role && coversWorkspace(role) ? sufficientGrants('editor', action, grants) : sufficient
}

function findDenial(action: string, facts: EvaluationFacts | undefined): Denial | undefined {
  if (!facts?.userKnown || facts.tokenDenied) return 'user_unknown'
  if (!facts.userActive) return 'user_inactive'
  if (!(facts.grants & grant.registered)) return 'resource_unknown'
  if (!facts.role) return 'not_a_member'
  if (isAllowed(facts.role, action, facts.grants)) return undefined
  // An owner may perform every known action.
  return isAllowed('owner', action, facts.grants) ? 'no_grant' : 'action_unknown'
}

function bitOf({ rule, permission }: Reason): number {
  if (rule === 'owner') return grant.owner
  if (rule === 'workspace_visibility') return grant.workspace
  return permission === 'edit' ? grant.edit | grant.view : grant.view
}

function readReason([rule, permission, role, groupId, shareId, type, id]: ReasonRow): Reason {
  return {
    rule,
    ...(permission !== null && { permission }),
    ...(role !== null && { role }),
    ...(groupId !== null && { group_id: groupId }),
    ...(shareId !== null && { share_id: shareId }),
    ...(type !== null &&
      id !== null && { inherited_from: { resource_type: type, resource_id: id } }),
  }
}
