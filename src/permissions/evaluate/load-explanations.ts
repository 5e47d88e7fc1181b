import { isoTime } from '../../database/sql-values.ts'
import type { Statements } from '../../database/statement-pool.ts'
import { explanationSql } from './evaluation-query.ts'
import {
  type EvaluationFacts,
  type NamedCheck,
  readFacts,
  toParameters,
} from './load-evaluations.ts'

/** An ancestor from which a resource inherits a grant. */
export type Ancestor = {
  permission_id: string
  resource_type: string
  resource_id: string
  external_id?: string
}

/** A grant of a user on a resource, whether or not it allows the action. */
export type Grant = {
  rule: 'owner' | 'workspace_visibility' | 'share' | 'group_share' | 'custom_role'
  /** The bits of `grant` (`access.ts`). */
  bits: number
  /** The permission of a share. */
  permission?: string
  /** The name of a custom role. */
  role?: string
  group_id?: string
  /** The path from a child of the group to the group that the user was added to. */
  via?: string[]
  share_id?: string
  expires_at?: string
  /** The ancestor that has the grant, if it is inherited. */
  inherited_from?: Ancestor
}

/** The facts of a check, with the grants that they summarize. */
export type Explanation = EvaluationFacts & { userId: string | undefined; grantList: Grant[] }

/** Loads the explanations of checks, in the order of the checks. */
export type LoadExplanations = (checks: NamedCheck[]) => Promise<Explanation[]>

type GrantRow = {
  rule: Grant['rule']
  bits: number
  permission: string | null
  role: string | null
  group_id: string | null
  is_direct: boolean | null
  share_id: string | null
  expires_at: string | null
  ancestor: (Omit<Ancestor, 'external_id'> & { external_id: string | null }) | null
}

type GroupLink = [parentId: string, childId: string, isDirect: boolean]

type Row = [userId: string | null, bits: number, grants: GrantRow[], links: GroupLink[] | null]

/** Creates a function that loads the facts and the grants of checks with one statement. */
export function createLoadExplanations(statements: Statements): LoadExplanations {
  return async (checks) => {
    if (checks.length === 0) return []
    const rows = await statements.rows<Row>('explanations', explanationSql, toParameters(checks))
    return rows.map(([userId, bits, grantRows, links]) => ({
      ...readFacts(grantRows.reduce((all, row) => all | row.bits, bits)),
      userId: userId ?? undefined,
      grantList: grantRows.map((row) => readGrant(row, links ?? [])),
    }))
  }
}

function readGrant(row: GrantRow, links: GroupLink[]): Grant {
  const { rule, bits, permission, role, group_id, is_direct, share_id, expires_at, ancestor } = row
  return {
    rule,
    bits,
    ...(permission !== null && { permission }),
    ...(role !== null && { role }),
    ...(group_id !== null && { group_id }),
    ...(group_id !== null && is_direct === false && { via: findPath(group_id, links) }),
    ...(share_id !== null && { share_id }),
    ...(expires_at !== null && { expires_at: isoTime(expires_at) }),
    ...(ancestor && { inherited_from: readAncestor(ancestor) }),
  }
}

function readAncestor({ external_id, ...names }: NonNullable<GrantRow['ancestor']>): Ancestor {
  return { ...names, ...(external_id !== null && { external_id }) }
}

/** Returns a shortest path from a child of `start` to a group that directly contains the user. */
function findPath(start: string, links: GroupLink[]): string[] {
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
