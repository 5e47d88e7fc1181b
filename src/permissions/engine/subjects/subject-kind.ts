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
   * Returns an SQL condition: whether the check `i` of the resource `r` is covered. It reads the columns
   * `subject_id`, `status`, `service`, `type` and `asked_action` of `i`.
   */
  coversResource(ancestry: Ancestry): string
  /** The same for the check `q` of a workspace. */
  coversWorkspace(): string
}
