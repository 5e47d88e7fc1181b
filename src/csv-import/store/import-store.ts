import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '../../database/query.ts'
import type { Standing } from '../../workspaces/guests.ts'
import * as sql from './import-sql.ts'

/**
 * A workspace that a file names. `owners` is the number of owners who have joined, are active and
 * stay.
 */
export type ImportWorkspace = { id: string; slug: string; owners: number }

/** The usage of the quotas of a workspace. */
export type WorkspaceUsage = {
  workspaceId: string
  members: number
  invitations: number
  groups: number
}

export type ImportUser = { id: string; email: string; name: string; externalId: string | null }

/** A user that an external ID identifies. */
export type IdentifiedUser = { externalId: string; email: string }

/** Identifies a membership. */
export type MemberId = { userId: string; workspaceId: string }

/**
 * A membership. `joined` means that the member has joined, is active, and that the membership does
 * not end. Only such owners count as owners.
 */
export type ImportMember = MemberId & Standing & { joined: boolean; isSupport: boolean }

export type ImportGroup = { id: string; workspaceId: string; name: string }

/**
 * The users, members and groups that an import reads and writes, many rows in each statement.
 * Tables are read without joins where possible: the planner has no statistics for the rows that a
 * large import has just inserted and would choose nested loops.
 */
export class ImportStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /**
   * Prevents other imports from running until the end of the transaction, so that imports cannot
   * deadlock on each other's rows. An import may wait longer for locks than other calls, but less
   * than the client's statement timeout.
   */
  async lock(): Promise<void> {
    await query(this.#em, "set local lock_timeout = '9s'")
    await query(this.#em, `select pg_advisory_xact_lock(hashtext('daikon import'))`)
  }

  /** Locks workspaces until the end of the transaction, and returns their IDs. */
  async lockWorkspaces(slugs: string[]): Promise<string[]> {
    const rows = await query<{ id: string }>(this.#em, sql.lockWorkspacesSql, [slugs])
    return rows.map(({ id }) => id)
  }

  findWorkspaces(slugs: string[]): Promise<ImportWorkspace[]> {
    return query(this.#em, sql.workspacesSql, [slugs])
  }

  /** Returns the usage of quotas for each workspace. Workspaces without any usage are absent. */
  findUsage(workspaceIds: string[]): Promise<WorkspaceUsage[]> {
    return query(this.#em, sql.usageSql, [workspaceIds])
  }

  findUsers(emails: string[]): Promise<ImportUser[]> {
    return query(this.#em, sql.usersSql, [emails])
  }

  findIdentifiedUsers(externalIds: string[]): Promise<IdentifiedUser[]> {
    return query(this.#em, sql.identifiedUsersSql, [externalIds])
  }

  findMembers(userIds: string[]): Promise<ImportMember[]> {
    return query(this.#em, sql.membersSql, [userIds])
  }

  findGroups(workspaceIds: string[], names: string[]): Promise<ImportGroup[]> {
    return query(this.#em, sql.groupsSql, [workspaceIds, names])
  }

  /** Returns the groups whose direct members the users are. */
  findGroupMembers(userIds: string[]): Promise<{ groupId: string; userId: string }[]> {
    return query(this.#em, sql.groupMembersSql, [userIds])
  }

  /**
   * Inserts users, or renames those that were created after the plan was made. Returns the latter,
   * because their IDs differ from the ones passed in.
   */
  insertUsers(
    users: { id: string; email: string; name: string }[],
  ): Promise<{ id: string; email: string }[]> {
    return query(this.#em, sql.insertUsersSql, [
      users.map(({ id }) => id),
      users.map(({ email }) => email),
      users.map(({ name }) => name),
    ])
  }

  async renameUsers(users: { id: string; name: string }[]): Promise<void> {
    await query(this.#em, sql.renameUsersSql, [
      users.map(({ id }) => id),
      users.map(({ name }) => name),
    ])
  }

  async updateExternalIds(users: { id: string; externalId: string }[]): Promise<void> {
    await query(this.#em, sql.updateExternalIdsSql, [
      users.map(({ id }) => id),
      users.map(({ externalId }) => externalId),
    ])
  }

  /** Inserts groups. Groups that were created after the plan was made are returned as not new. */
  insertGroups(
    groups: ImportGroup[],
    createdBy: string | undefined,
  ): Promise<(ImportGroup & { isNew: boolean })[]> {
    return query(this.#em, sql.insertGroupsSql, [
      groups.map(({ id }) => id),
      groups.map(({ workspaceId }) => workspaceId),
      groups.map(({ name }) => name),
      createdBy,
    ])
  }

  /** Collects the statistics of the planner after a large import, which autovacuum does minutes later. */
  async analyze(): Promise<void> {
    await query(this.#em, 'analyze users, members, groups, group_members')
  }
}
