import { isoTime, textArray } from '../../database/sql-values.ts'
import type { Statements } from '../../database/statement-pool.ts'
import { actionFact } from '../access.ts'
import { createCallWork } from '../conditions/work.ts'
import { withMembership } from './bits.ts'
import {
  compileConditions,
  maxAttempts,
  type StoredCondition,
} from './conditions/compiled-conditions.ts'
import {
  digestsOf,
  type JudgedCondition,
  judge,
  type UncertainFacts,
  type UnmetRequirement,
} from './conditions/judge.ts'
import { withoutIgnored } from './conditions/load-uncertain.ts'
import { grantsAction, kindsOfRules } from './grants/grant-kinds.ts'
import type { GrantRule } from './grants/grant-rule.ts'
import { createCheckTable } from './parameters.ts'
import type { Assumed, SubjectCheck } from './question.ts'
import {
  type GroupLink,
  groupNamesSql,
  type NamesRow,
  type ReasonRow,
  reasonsSql,
} from './statements/reasons.ts'
import {
  joinRequirements,
  type Requirement,
  type RequiringAncestor,
  type RequiringKind,
} from './statements/requirements.ts'
import { type Candidate, maxCandidates, type StoredVariables } from './statements/uncertain.ts'
import { type LoadOfWorkspaces, loadByKind } from './subjects/load-by-kind.ts'
import type { StoredLimits, SubjectKind } from './subjects/subject-kind.ts'
import { type SubjectKindName, statementName, subjectKinds } from './subjects/subject-kinds.ts'

/** An ancestor from which a resource inherits a grant. */
export type Ancestor = {
  permissionId: string
  resourceType: string
  resourceId: string
  externalId?: string
  displayName?: string
}

/** A grant of a user on a resource, whether or not it allows the action. */
export type Grant = {
  rule: GrantRule
  /** The bits of `grant` (`access.ts`). */
  bits: number
  /** The permission of a share, unless it has a role. */
  permission?: string
  /** The name of the role of a share, or of a custom role. */
  role?: string
  groupId?: string
  /** The path from a child of the group to the group that the user was added to. */
  via?: string[]
  shareId?: string
  linkId?: string
  expiresAt?: string
  /** The ancestor that has the grant, if it is inherited. */
  inheritedFrom?: Ancestor
  /** The name of the condition of a share. */
  condition?: string
  /** The verdict about the condition, and the bits of the share if it were true. */
  judged?: JudgedCondition & { bits: number }
}

/** The names of the objects that a decision depends on. */
export type DecisionNames = {
  /** The name or e-mail address of the user. Undefined if the user does not exist. */
  user: string | undefined
  /** Undefined if the resource does not exist. */
  workspace: string | undefined
  /** The `external_id` of the resource, if it has one. */
  resource: string | undefined
  /** The name of the resource for people, if it has one. */
  displayName: string | undefined
  /** Whether the resource inherits from a parent. */
  inherits: boolean
  /** The number of groups in the workspace that contain the user. */
  groupCount: number
  /** The names of the groups in `grantList`, by ID. */
  groups: Map<string, string>
}

/** The facts of a check as bits (`bits.ts`), with the grants that they summarize. */
export type Explanation = {
  /** The kind of the subject. */
  kind: SubjectKindName
  bits: number
  grantList: Grant[]
  names: DecisionNames
  /** Whether the resource is a workspace itself. */
  isOfWorkspace?: boolean
  /** The ID of the user, or of the user for whom the subject stands; undefined for checks of workspaces. */
  userId?: string | undefined
  /** The limits within which the subject stands for a user, if it does. */
  limits?: StoredLimits | undefined
  /** The requirements of the action that are not met. */
  unmet: UnmetRequirement[]
  /** The requirements of `view` that are not met and withhold a custom role. */
  unmetToView?: UnmetRequirement[]
  /** What the bits would be if every condition were true. */
  bitsIfTrue?: number
}

/** Loads the explanations of checks, in the order of the checks. */
export type LoadReasons = (checks: SubjectCheck[]) => Promise<Explanation[]>

type Row = [
  bits: number,
  grants: ReasonRow[],
  links: GroupLink[] | null,
  names: NamesRow,
  now: string,
  requirements: Requirement[] | null,
  variables: StoredVariables | null,
  ancestors: RequiringAncestor[] | null,
  requiring: RequiringKind[] | null,
  limits?: StoredLimits | null,
]

/**
 * Loads the facts and the grants of checks from PostgreSQL in one statement for each kind of subject,
 * and the names of groups in another.
 */
export function createLoadReasons(
  statements: Statements,
  loadConditions: (digests: string[]) => Promise<StoredCondition[]>,
  explainWorkspaces?: LoadOfWorkspaces<SubjectCheck, Explanation>,
): LoadReasons {
  return (checks) => loadByKind(checks, load, explainWorkspaces)

  async function load(kind: SubjectKindName, checks: SubjectCheck[]): Promise<Explanation[]> {
    if (checks.length === 0) return []
    const name = statementName('reasons', kind)
    const sql = reasonsSql[kind]
    const table = createCheckTable(kind)
    for (const check of checks) table.addCheck(check, table.addSubject(check.subject))
    for (let attempt = 1; ; attempt += 1) {
      const stored = await statements.rows<Row>(name, sql, table.parameters())
      const rows = stored.map((row, index) => assume(row, checks[index]?.assumed))
      const uncertain = rows.map((row) => readUncertain(kind, row))
      const digests = new Set(uncertain.flatMap(digestsOf))
      const compiled = await compileConditions(digests, loadConditions)
      if (compiled.size < digests.size && attempt < maxAttempts) continue
      const grantLists = rows.map(([, grants, links]) =>
        grants.flatMap((row) => readGrant(kind, row, links ?? []) ?? []),
      )
      const groups = await findGroupNames(statements, grantLists.flat())
      const work = createCallWork()
      const judgeRow = async (row: Row, index: number): Promise<Explanation> => {
        const [, , , names, , , , , , limits] = row
        const check = checks[index] as SubjectCheck
        const facts = uncertain[index] as UncertainFacts
        const { candidates, ...judged } = await judge(check, facts, compiled, work, { all: true })
        const grantList = grantLists[index] ?? []
        const conditional = grantList.filter(({ condition }) => condition !== undefined)
        for (const [position, verdict] of candidates.entries()) {
          const shared = conditional[position] as Grant
          const { bits: granted } = facts.candidates[position] as Candidate
          shared.judged = { ...verdict, bits: granted }
          shared.bits = verdict.result ? granted : 0
        }
        const read = { names: readNames(names, groups), limits: limits ?? undefined }
        return { kind, ...judged, grantList, userId: names.userId ?? undefined, ...read }
      }
      const reasons: Explanation[] = []
      for (const [index, row] of rows.entries()) reasons.push(await judgeRow(row, index))
      return reasons
    }
  }
}

/** Returns a row with what is assumed, which comes first: it counts however many shares there are. */
function assume(row: Row, assumed: Assumed | undefined): Row {
  if (!assumed) return row
  const [stored, grants, ...others] = row
  const { membership } = assumed
  const bits = membership === undefined ? stored : withMembership(stored, membership)
  const hasRole = assumed.grants.some(({ rule }) => grantsAction(rule))
  return [bits | (hasRole ? actionFact.granted : 0), [...assumed.grants, ...grants], ...others]
}

/** Returns the facts of a row: its bits with those of all grants, and what they depend on. */
function readUncertain(
  kind: SubjectKindName,
  [bits, grants, , , now, requirements, variables, ancestors, requiring]: Row,
): UncertainFacts {
  const candidates = grants.flatMap(({ condition, digest, params, conditionalBits }) =>
    condition === null
      ? []
      : { condition, digest: digest ?? '', params: params ?? {}, bits: conditionalBits ?? 0 },
  )
  return {
    ...withoutIgnored(kind, {
      bits: grants.reduce((all, row) => all | row.bits, bits),
      candidates: candidates.slice(0, maxCandidates),
    }),
    requirements: joinRequirements(requirements, ancestors, requiring),
    variables: variables ?? undefined,
    now: new Date(now),
  }
}

/** Returns the names of the groups of grants, by ID. */
export async function findGroupNames(
  statements: Statements,
  grants: Grant[],
): Promise<Map<string, string>> {
  const ids = grants.flatMap(({ groupId, via = [] }) => (groupId ? [groupId, ...via] : []))
  if (ids.length === 0) return new Map()
  const values = [textArray([...new Set(ids)])]
  return new Map(await statements.rows<[string, string]>('group names', groupNamesSql, values))
}

function readNames(row: NamesRow, groups: Map<string, string>): DecisionNames {
  return {
    user: row.user ?? undefined,
    workspace: row.workspace ?? undefined,
    resource: row.resource ?? undefined,
    displayName: row.displayName ?? undefined,
    inherits: row.inherits ?? false,
    groupCount: row.groupCount,
    groups,
  }
}

/** Returns a grant, or undefined if the kind of subject does not list grants by this rule. */
function readGrant(kind: SubjectKindName, row: ReasonRow, links: GroupLink[]): Grant | undefined {
  const { rules, ignoredBits }: SubjectKind = subjectKinds[kind]
  const rule = rules ? rules[row.rule] : row.rule
  if (rule === null) return undefined
  const { permission, role, groupId, isDirect, shareId, expiresAt, ancestor, condition } = row
  return {
    rule,
    bits: row.bits & ~ignoredBits,
    ...(permission !== null && { permission }),
    ...(role !== null && { role }),
    ...(groupId !== null && { groupId }),
    ...(groupId !== null && isDirect === false && { via: findPath(groupId, links) }),
    ...(shareId !== null && nameGrant(rule, shareId)),
    ...(expiresAt !== null && { expiresAt: isoTime(expiresAt) }),
    ...(condition !== null && { condition }),
    ...(ancestor && { inheritedFrom: readAncestor(ancestor) }),
  }
}

/** Returns the member of a reason that names the grant itself. */
function nameGrant(rule: GrantRule, id: string): Pick<Grant, 'shareId' | 'linkId'> {
  const [{ idMember }] = kindsOfRules[rule]
  return typeof idMember === 'string' ? { [idMember]: id } : {}
}

function readAncestor({
  externalId,
  displayName,
  ...names
}: NonNullable<ReasonRow['ancestor']>): Ancestor {
  return {
    ...names,
    ...(externalId !== null && { externalId }),
    ...(displayName !== null && { displayName }),
  }
}

/** Returns a shortest path from a child of `start` to a group that directly contains the user. */
export function findPath(start: string, links: GroupLink[]): string[] {
  const paths = new Map<string, string[]>([[start, []]])
  // A breadth-first search: the iteration includes the entries that are added during it.
  for (const [group, path] of paths) {
    for (const [parent, child, isDirect] of links) {
      if (parent !== group || paths.has(child)) continue
      const longer = [...path, child]
      if (isDirect) return longer
      paths.set(child, longer)
    }
  }
  return []
}
