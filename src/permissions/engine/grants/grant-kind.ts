import { isInLiveTree } from '../../../database/deleted-rows.ts'
/** How a statement finds out whether a user is in a group that a resource is shared with. */
export type GroupLookup = 'probed' | 'hashed'

/** SQL expressions for the values of a list. */
export type ListValues = {
  workspace: string
  user: string
  kind: string
  /** The first ID of the page. */
  first: string
  limit: string
  /** The sufficient grants as bits. */
  grants: string
  /** The action, null if it is built in. */
  action: string
  /** The permission of the row `s` of `shares`; `barePermission` if conditions count as true. */
  permission: string
}

/** The columns of a reason as SQL expressions, and where they come from. Absent columns are null. */
export type ReasonRows = {
  bits: string | number
  permission?: string
  role?: string
  groupId?: string
  isDirect?: string
  shareId?: string
  expiresAt?: string
  /** The condition of a share: its name, digest, `params`, and the bits that it gives if it is true. */
  condition?: string
  digest?: string
  params?: string
  conditionalBits?: string
  /** A FROM clause over `chain`, the resource and the ancestors that it inherits from. */
  from: string
}

/** The ways in which a subject can come to access a resource, as reasons name them. */
export type GrantRule =
  | 'workspace_role'
  | 'owner'
  | 'workspace_visibility'
  | 'public'
  | 'share'
  | 'group_share'
  | 'custom_role'
  | 'link'

/**
 * A kind of grant. The statements of the engine are composed from the kinds in `grantKinds`, so a
 * kind is declared in one file. A member that does not apply to a kind is null.
 */
export type GrantKind = {
  rule: GrantRule
  /**
   * Checks: the bits that the subject `q` has on the row `row` of `resources` itself, as an SQL
   * expression. `q` has `user_id` and `workspace_id`, the workspace of the resource; `row` has the
   * columns of `ancestorColumns`; `r` is the resource that is asked about, of which `row` may be an
   * ancestor.
   */
  bits: ((row: string, lookup: GroupLookup) => string) | null
  /** Reasons: a row for each grant of the subject `q` on `chain`. */
  reasons: ReasonRows | null
  /**
   * Lists: a query for `resource_id`, with an order and a limit of its own so that it reads an index
   * in order. A page then takes the same time for a user with 100,000 shares as for one with 100.
   */
  resources: ((values: ListValues) => string) | null
  /**
   * Lists: the folders on which the user has the grant, as a FROM clause with the folder `r`, and
   * the sufficient grants, one of which makes the kind count.
   */
  folders: { bits: number; from: (values: ListValues) => string } | null
  /**
   * Searches for subjects: queries for `user_id` and `bits`, each limited to $5 users after $4, of
   * `chain`. $6 is the ActionKind, $7 the action.
   */
  subjects: string[] | null
  /** The tables whose changes are recorded, so that facts in memory are current (migration 024). */
  changeRecords: string[]
}

/** Returns the conditions and the order of a page of the kind of a list. */
export function pageOf({ workspace, kind, first, limit }: ListValues) {
  return {
    ofKind: `workspace_id = ${workspace} and kind_id = ${kind} and resource_id >= ${first}
      and ${isInLiveTree('kind_id', 'resource_id')}`,
    page: `order by resource_id limit ${limit}`,
  }
}
