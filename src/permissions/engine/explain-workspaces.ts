import { isUuid } from '../../core/uuid.ts'
import { arrayLiteral, textElement } from '../../database/sql-values.ts'
import type { Statements } from '../../database/statement-pool.ts'
import { coversWorkspace, grant } from '../access.ts'
import { roleOf } from './bits.ts'
import { memberRule } from './grants/grant-kinds.ts'
import type { GrantRule } from './grants/grant-rule.ts'
import { type Explanation, findGroupNames, findPath, type Grant } from './load-reasons.ts'
import { actionElementOf, subjectParameters } from './parameters.ts'
import type { SubjectCheck } from './question.ts'
import type { GroupLink } from './statements/reasons.ts'
import { workspaceChecksSql } from './statements/workspace-checks.ts'
import { type LoadOfWorkspaces, loadGrouped } from './subjects/load-by-kind.ts'
import type { StoredLimits } from './subjects/subject-kind.ts'
import {
  kindOf,
  type SubjectKindName,
  statementName,
  subjectKindNames,
  subjectKinds,
} from './subjects/subject-kinds.ts'

type WorkspaceRole = {
  rule: GrantRule
  role: string
  groupId: string | null
  isDirect: boolean | null
}

type Row = [
  hasOwnWorkspaces: boolean,
  bits: number,
  role: string | null,
  customRoles: WorkspaceRole[],
  links: GroupLink[] | null,
  user: string | null,
  workspace: string | null,
  limits?: StoredLimits | null,
]

/** A check of a workspace, by its ID or slug. */
type WorkspaceCheck = SubjectCheck & { workspace: string }

/** Explains checks about workspaces. */
export type ExplainWorkspaces = LoadOfWorkspaces<SubjectCheck, Explanation>

/**
 * The explanation of a check is undefined if its service has registered resources of the type
 * `workspace`, which the check is then about.
 */
export function createExplainWorkspaces(statements: Statements): ExplainWorkspaces {
  return (checks) => loadGrouped(checks, subjectKindNames, kindWithRole, load)

  async function load(
    kind: SubjectKindName,
    checks: WorkspaceCheck[],
  ): Promise<(Explanation | undefined)[]> {
    if (checks.length === 0) return []
    const isId = checks.map(({ workspace }) => isUuid(workspace))
    const name = statementName('workspace checks', kind)
    const toElement = actionElementOf(kind)
    const rows = await statements.rows<Row>(name, workspaceChecksSql[kind], [
      ...subjectParameters(checks.map(({ subject }) => subject)),
      arrayLiteral(checks.map((_, index) => index + 1)),
      arrayLiteral(checks.map(({ serviceName }) => textElement(serviceName))),
      arrayLiteral(checks.map(({ workspace }, index) => (isId[index] ? workspace : undefined))),
      arrayLiteral(
        checks.map(({ workspace }, index) => (isId[index] ? undefined : textElement(workspace))),
      ),
      arrayLiteral(checks.map(({ action }) => toElement(action))),
    ])
    const explanations = rows.map((row, index) => readRow(kindOf(checks[index]?.subject), row))
    const grants = explanations.flatMap((explanation) => explanation?.grantList ?? [])
    const groups = await findGroupNames(statements, grants)
    return explanations.map((found) => found && { ...found, names: { ...found.names, groups } })
  }
}

/** Returns the kind that a subject counts as in workspaces: an unknown user if its kind has no role there. */
function kindWithRole({ subject }: WorkspaceCheck): SubjectKindName {
  const kind = kindOf(subject)
  return subjectKinds[kind].hasRole ? kind : 'user'
}

function readRow(
  kind: SubjectKindName,
  [isOwn, bits, role, customRoles, links, user, workspace, limits]: Row,
): Explanation | undefined {
  if (isOwn) return undefined
  const grantList: Grant[] = customRoles.map(({ rule, role, groupId, isDirect }) => ({
    rule,
    bits: 0,
    role,
    ...(groupId !== null && { groupId }),
    ...(groupId !== null && isDirect === false && { via: findPath(groupId, links ?? []) }),
  }))
  const roleInBits = roleOf(bits)
  // Reasons list the role of owners and admins by themselves.
  if (role !== null && roleInBits && !coversWorkspace(roleInBits))
    grantList.unshift({ rule: memberRule, bits: grant.view, role })
  return {
    kind,
    bits: bits & ~subjectKinds[kind].ignoredBits,
    grantList,
    names: {
      user: user ?? undefined,
      workspace: workspace ?? undefined,
      resource: undefined,
      displayName: undefined,
      inherits: false,
      groupCount: 0,
      groups: new Map(),
    },
    limits: limits ?? undefined,
    unmet: [],
    isOfWorkspace: true,
  }
}
