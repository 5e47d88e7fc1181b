import type { Ancestry } from '../chain.ts'
import type { GrantRule } from '../grants/grant-rule.ts'
import type { Ctes } from '../statement.ts'

/** Who a subject is. Without a member, it is named otherwise, or nobody. */
export type SubjectId = {
  userId?: string | undefined
  /** A group, which may do what every one of its members may do. */
  groupId?: string | undefined
  /** A link, which may do what it grants. */
  linkId?: string | undefined
  /** A delegation, by which an agent may do what its user may do and it covers. */
  delegationId?: string | undefined
}

/** How the engine checks subjects of a kind. A kind is declared in one file. */
export type SubjectKind = {
  /** The member of subjects of the kind that has their ID. */
  idMember: keyof SubjectId
  /**
   * What statements read instead of tables, so that no grant needs a second form. `ids` is SQL for an
   * array of IDs, which statements accept in place of the IDs of users.
   */
  tables(ids: string): Ctes
  /** The bits of facts and grants (`bits.ts`) that do not count. */
  ignoredBits: number
  /** The bits that allow to view a resource, but do not make a search list it. */
  ignoredInSearches: number
  /**
   * How grants are explained: the rule for each rule of a user, null if grants by it are not listed.
   * Null if every rule has the name that it has for a user.
   */
  rules: Record<GrantRule, GrantRule | null> | null
  /** How subjects stand for a user within limits. Null if they may do all that statements find. */
  coverage: Coverage | null
  /** Whether subjects have a role in a workspace, which conditions can read. */
  hasRole: boolean
  /**
   * Whether subjects stand for several members, who are no guests only if none of them is. Then no
   * value of `subject.guest` is true of all.
   */
  isPlural: boolean
  /** Whether facts and lists can stay in memory: all changes to what `tables` reads are recorded. */
  isRemembered: boolean
}

/** What a check can exceed of a coverage. */
export type Limit = 'action' | 'type' | 'resource'

/** A coverage, and what a check exceeds of it. */
export type StoredLimits = {
  id: string
  agent: { type: string; id: string; name: string }
  expiresAt: string
  serviceName: string
  actions: string[] | null
  resourceTypes: string[] | null
  exceeded: Limit[]
}

/** SQL expressions for what is asked. */
export type AskedColumns = { action: string; service: string; type: string }

/** SQL expressions for the subject and the workspace that a list is limited to, and what it asks. */
export type ListedColumns = AskedColumns & { subjectId: string; workspaceId: string }

/**
 * How subjects of a kind stand for a user. Statements read the user instead of the subject, so that all
 * grants are those of the user, and add `grant.uncovered` to the bits of each check that is not covered.
 */
export type Coverage = {
  /**
   * Returns a query for the columns `token_id`, `user_id`, `workspace_id`, `position` and `subject_id` of
   * each subject. `named` is a FROM item with what names them, as `named`; their IDs are its `user_id`.
   */
  resolve(named: string): string
  /**
   * Returns SQL for the bits that say whether the check `i` of the resource `r` is covered: `uncovered`,
   * with `delegationFact`. It reads the columns `subject_id`, `status`, `service`, `type` and
   * `asked_action` of `i`.
   */
  bitsOfResource(ancestry: Ancestry): string
  /** The same for the check `q` of a workspace. */
  bitsOfWorkspace: string
  /** SQL for what limits the check `i`, as JSON: StoredLimits. Null for an unknown subject. */
  limitsOfResource: string
  /** The same for the check `q` of a workspace. */
  limitsOfWorkspace: string
  /**
   * Returns a query for the columns `user_id` and `workspace_id` of a subject that asks for a list,
   * `is_covered`, whether any resource of the list can be covered, and `resources`: an array with the IDs
   * of those, which stand for what inherits from them, too, or null for all.
   */
  ofList(columns: ListedColumns): string
  /** Returns SQL for the agent that acts for the user, as JSON. */
  agentOf(subjectId: string): string
}
