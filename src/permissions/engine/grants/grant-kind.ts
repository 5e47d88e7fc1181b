import type { Assumption } from '../../../../gen/daikon/v1/admin_permissions.ts'
import { isInLiveTree } from '../../../database/deleted-rows.ts'
import type {
  HeldPairs,
  Pair,
  PairedMember,
  PairedResource,
  SufficientGrants,
} from './access-pairs.ts'
import type { ExpiringTable } from './expiring-tables.ts'
import type {
  AskedColumns,
  ReasonSubjectColumns,
  ResourceColumns,
  ServiceSubjectColumns,
  ShareColumns,
  SubjectColumns,
} from './offered-columns.ts'

/** How a statement finds out whether a user is in a group that a resource is shared with. */
export type GroupLookup = 'perGroup' | 'groupSet'

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

/** SQL expressions for the values of a search for subjects of `chain`. */
export type SearchValues = {
  chain: ResourceColumns
  service: string
  /** The workspace of the resource. */
  workspace: string
  /** The ID after which the page begins. */
  after: string
  limit: string
  /** The ActionKind, and the action. */
  actionKind: string
  action: string
}

/** What the bits of a check can read. `row` is the resource of the check, or its ancestor. */
export type CheckColumns = {
  subject: SubjectColumns
  row: ResourceColumns
  asked: AskedColumns
  lookup: GroupLookup
}

/** What reasons can read. */
export type ReasonColumns = {
  subject: ReasonSubjectColumns
  chain: ResourceColumns
  asked: AskedColumns
}

/** SQL expressions for a registered action, and the user and workspace of the check. */
export type ActionColumns = { actionId: string; userId: string; workspaceId: string }

/** The columns of a reason as SQL expressions, and where they come from. Absent columns are null. */
export type ReasonSelect = {
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

/** The custom roles of a subject: the columns of `ReasonSelect` of a clause that reads no resource. */
export type RoleRows = Pick<ReasonSelect, 'groupId' | 'isDirect' | 'from'> & { role: string }

/** An assumption of WhatIf. One of a share gives the grant only with this type of grantee. */
export type AssumedBy = { assumption: keyof Assumption; grantee?: 'user' | 'group' }

/** Why a kind of grant takes no part in an operation. */
export type NotApplicable = { notApplicable: string }

/**
 * A kind of grant. The statements of the engine are composed from the kinds in `grantKinds`, so a
 * kind is declared in one file. A member that does not apply to a kind says why.
 */
export type GrantKind = {
  /** Checks: the grants of the subject on `row` itself, as an SQL expression for bits. */
  bits:
    | {
        sql(columns: CheckColumns): string
        /** Whether statements of own grants (`Ancestry`) read it, or leave it to those with ancestors. */
        isOwnGrant: boolean
      }
    | NotApplicable
  /**
   * Checks: whether the user has the grant for a registered action in a whole workspace, as an SQL
   * condition. It is a fact about the action (`actionFact.granted`), and counts on resources that the
   * user may view.
   */
  actionGranted: ((columns: ActionColumns) => string) | NotApplicable
  /** Reasons: a row for each grant of the subject on `chain`. */
  reasons: ((columns: ReasonColumns) => ReasonSelect) | NotApplicable
  /** Reasons: the member that names the grant. */
  idMember: 'shareId' | 'linkId' | NotApplicable
  /** Checks of workspaces: a row for each role of the subject that counts there as a custom role. */
  workspaceRoles: ((columns: { subject: ServiceSubjectColumns }) => RoleRows) | NotApplicable
  /** Explanations of what would be: the assumption that gives the grant. */
  assumedBy: AssumedBy | NotApplicable
  /**
   * Lists: a query for `resource_id`, with an order and a limit of its own so that it reads an index
   * in order. A page then takes the same time for a user with 100,000 shares as for one with 100.
   */
  resources: ((values: ListValues) => string) | NotApplicable
  /**
   * Lists: the folders on which the user has the grant, as a FROM clause with the folder `r`, and
   * the sufficient grants, one of which makes the kind count.
   */
  folders: { bits: number; from: (values: ListValues) => string } | NotApplicable
  /** Searches for subjects: queries for `user_id` and `bits`, each limited to a page of users. */
  subjects: ((values: SearchValues) => string[]) | NotApplicable
  /** Conditions of the grants, which are then shares. */
  conditions:
    | {
        /** The sufficient grants, one of which makes the kind count. */
        bits: number
        /** Whether the subject has any grant of the kind with a condition, as an SQL condition. */
        exists(columns: { subject: SubjectColumns }): string
        /** Whether a share is with the subject, as an SQL condition. */
        isGrantee(columns: { subject: SubjectColumns; share: ShareColumns }): string
      }
    | NotApplicable
  /**
   * Lists in the database of a service: the pairs that a resource accepts because of its own grants of the
   * kind, and those that a member holds because of what suffices for an action.
   */
  accessPairs:
    | {
        accepted(resource: PairedResource): Pair[]
        held(member: PairedMember, sufficient: SufficientGrants): HeldPairs
      }
    | NotApplicable
  /** The tables whose changes are recorded, so that facts in memory are current (migration 024). */
  changeRecords: string[] | NotApplicable
  /** The table with an end of the grants, at which facts in memory are no longer current. */
  expiry: ExpiringTable | NotApplicable
  /** The table that stores the grants. They are erased with the rows to which it refers. */
  storedIn: string
}

/** The operations in which a kind can take part, or not. */
export type GrantOperation = Exclude<keyof GrantKind, 'storedIn'>

/** Says why a kind of grant takes no part in an operation. */
export function notApplicable(why: string): NotApplicable {
  return { notApplicable: why }
}

/** Returns the conditions and the order of a page of the kind of a list. */
export function pageOf({ workspace, kind, first, limit }: ListValues) {
  return {
    ofKind: `workspace_id = ${workspace} and kind_id = ${kind} and resource_id >= ${first}
      and ${isInLiveTree('kind_id', 'resource_id')}`,
    page: `order by resource_id limit ${limit}`,
  }
}
