import { isUuid } from '../../core/uuid.ts'
import { arrayLiteral, textElement } from '../../database/sql-values.ts'
import type { Statements } from '../../database/statement-pool.ts'
import { coversWorkspace, grant } from '../access.ts'
import { roleOf } from './bits.ts'
import type { LoadFacts } from './facts.ts'
import { isOfGroup, requireGroup } from './group-subjects.ts'
import {
  type Explanation,
  findGroupNames,
  findPath,
  type Grant,
  type LoadReasons,
} from './load-reasons.ts'
import { actionElement, subjectParameters } from './parameters.ts'
import type { Check, Subject } from './question.ts'
import { splitChecks } from './split-checks.ts'
import type { GroupLink } from './statements/reasons.ts'
import { groupWorkspaceChecksSql, workspaceChecksSql } from './statements/workspace-checks.ts'

type WorkspaceRole = { role: string; group_id: string | null; is_direct: boolean | null }

type Row = [
  hasOwnWorkspaces: boolean,
  bits: number,
  role: string | null,
  customRoles: WorkspaceRole[],
  links: GroupLink[] | null,
  user: string | null,
  workspace: string | null,
]

/** A check of a workspace, by its ID or slug. */
type WorkspaceCheck = Check & { subject: Subject; workspace: string }

/**
 * Explains checks about workspaces. The explanation of a check is undefined if its service has
 * registered resources of the type `workspace`, which the check is then about.
 */
export type ExplainWorkspaces = (checks: WorkspaceCheck[]) => Promise<(Explanation | undefined)[]>

export function createExplainWorkspaces(statements: Statements): ExplainWorkspaces {
  return async (checks) => {
    const { own, others, merge } = splitChecks(checks, isOfGroup)
    const [ofUsers, ofGroups] = await Promise.all([
      load('workspace checks', workspaceChecksSql, others),
      load('group workspace checks', groupWorkspaceChecksSql, own),
    ])
    const groups = ofGroups.map((found) => found && { ...found, bits: requireGroup(found.bits) })
    return merge(groups, ofUsers)
  }

  async function load(
    name: string,
    sql: string,
    checks: WorkspaceCheck[],
  ): Promise<(Explanation | undefined)[]> {
    if (checks.length === 0) return []
    const subjects = checks.map(({ subject: { groupId, ...subject } }) =>
      groupId === undefined ? subject : { userId: groupId },
    )
    const isId = checks.map(({ workspace }) => isUuid(workspace))
    const rows = await statements.rows<Row>(name, sql, [
      ...subjectParameters(subjects),
      arrayLiteral(checks.map((_, index) => index + 1)),
      arrayLiteral(checks.map(({ service_name }) => textElement(service_name))),
      arrayLiteral(checks.map(({ workspace }, index) => (isId[index] ? workspace : undefined))),
      arrayLiteral(
        checks.map(({ workspace }, index) => (isId[index] ? undefined : textElement(workspace))),
      ),
      arrayLiteral(checks.map(({ action }) => actionElement(action))),
    ])
    const explanations = rows.map(readRow)
    const grants = explanations.flatMap((explanation) => explanation?.grantList ?? [])
    const groups = await findGroupNames(statements, grants)
    return explanations.map((found) => found && { ...found, names: { ...found.names, groups } })
  }
}

function readRow([isOwn, bits, role, customRoles, links, user, workspace]: Row):
  | Explanation
  | undefined {
  if (isOwn) return undefined
  const grantList: Grant[] = customRoles.map(({ role, group_id, is_direct }) => ({
    rule: 'custom_role',
    bits: 0,
    role,
    ...(group_id !== null && { group_id }),
    ...(group_id !== null && is_direct === false && { via: findPath(group_id, links ?? []) }),
  }))
  const roleInBits = roleOf(bits)
  // Reasons list the role of owners and admins by themselves.
  if (role !== null && roleInBits && !coversWorkspace(roleInBits))
    grantList.unshift({ rule: 'workspace_role', bits: grant.view, role })
  return {
    bits,
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
    unmet: [],
    isOfWorkspace: true,
  }
}

/** Adds checks about workspaces to `loadFacts`. */
export function withWorkspaceFacts(
  loadFacts: LoadFacts,
  explainWorkspaces: ExplainWorkspaces,
): LoadFacts {
  const loadSplit: LoadFacts = async (query, scope) => {
    const { checks, ...caller } = query
    const named = checks.map((check) => ({ ...check, subject: check.subject ?? caller }))
    const { explained, others } = await split(named, explainWorkspaces)
    const { status, bits } = await loadFacts({ ...query, checks: others }, scope)
    const rest = bits.values()
    return {
      status,
      bits: explained.map((found) => found?.bits ?? (rest.next().value as number)),
    }
  }
  return (query, scope) => (query.checks.some(isOfWorkspace) ? loadSplit : loadFacts)(query, scope)
}

/** Adds checks about workspaces to `loadReasons`. */
export function withWorkspaceReasons(
  loadReasons: LoadReasons,
  explainWorkspaces: ExplainWorkspaces,
): LoadReasons {
  return async (checks) => {
    if (!checks.some(isOfWorkspace)) return loadReasons(checks)
    const { explained, others } = await split(checks, explainWorkspaces)
    const rest = (await loadReasons(others)).values()
    return explained.map((found) => found ?? (rest.next().value as Explanation))
  }
}

function isOfWorkspace<Any extends Check>(check: Any): check is Any & { workspace: string } {
  return check.workspace !== undefined
}

/** Returns the explanation of each check that is about a workspace, and the other checks. */
async function split<Named extends Check & { subject: Subject }>(
  checks: Named[],
  explainWorkspaces: ExplainWorkspaces,
): Promise<{ explained: (Explanation | undefined)[]; others: Named[] }> {
  const ofWorkspaces = checks.filter(isOfWorkspace)
  const found = (await explainWorkspaces(ofWorkspaces)).values()
  const explained = checks.map((check) => (isOfWorkspace(check) ? found.next().value : undefined))
  return { explained, others: checks.filter((_, index) => explained[index] === undefined) }
}
