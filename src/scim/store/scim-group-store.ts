import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '../../database/query.ts'
import type { Timestamp } from '../../database/sql-values.ts'
import type { MemberId } from '../../workspaces/store/member-store.ts'
import type { Filter } from '../filter.ts'
import { findGroupSource, groupUpdatedSql } from './filter-sources.ts'
import { listFiltered, type Page, type ScimPage } from './list-filtered.ts'

/** A group of a workspace as its directory sees it. */
export type ScimGroup = {
  id: string
  workspaceId: string
  name: string
  externalId: string | null
  createdAt: Timestamp
  updatedAt: Timestamp
}

/** A person whom the directory has put into a group, whether or not they are a member now. */
export type ScimGroupMember = { groupId: string; userId: string; userName: string }

/** The groups of workspaces with what directories know about them. */
export class ScimGroupStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  async find(workspaceId: string, id: string): Promise<ScimGroup | undefined> {
    const sql = `${selectSql} and g.id = $2`
    const [group] = await query<ScimGroup>(this.#em, sql, [workspaceId, id])
    return group
  }

  /**
   * Returns a page of the groups of a workspace that match a filter, by ID, and the number of all of
   * them.
   *
   * @throws a ServiceError INVALID_FILTER
   */
  list(workspaceId: string, filter: Filter | undefined, page: Page): Promise<ScimPage<ScimGroup>> {
    const statements = { count: countSql, select: selectSql, id: 'g.id' }
    return listFiltered(this.#em, workspaceId, filter, findGroupSource, statements, page)
  }

  /** Returns how many of these groups, from the first one on, have at most `max` members together. */
  async countFitting(groupIds: string[], max: number): Promise<number> {
    const [row] = await query<{ count: number }>(this.#em, countFittingSql, [groupIds, max])
    return row?.count ?? 0
  }

  /** Returns the people whom the directory has put into groups, by ID. */
  listMembers(groupIds: string[]): Promise<ScimGroupMember[]> {
    return query(this.#em, listMembersSql, [groupIds])
  }

  /** Returns the groups that the directory has put a person into. */
  async listGroupIds({ workspaceId, userId }: MemberId): Promise<string[]> {
    const sql = `select group_id as id from scim_group_members
      where workspace_id = $1 and user_id = $2 order by 1`
    const rows = await query<{ id: string }>(this.#em, sql, [workspaceId, userId])
    return rows.map(({ id }) => id)
  }

  /** Keeps what only the directory knows about a group. */
  async save(
    { id, workspaceId }: Pick<ScimGroup, 'id' | 'workspaceId'>,
    externalId: string | null,
    now: Date,
  ): Promise<void> {
    await query(this.#em, saveSql, [id, workspaceId, externalId, now])
  }

  /**
   * Adds people to a group. Returns those whom the directory has provisioned, with whether they are
   * members of the workspace.
   */
  addMembers(
    { id, workspaceId }: Pick<ScimGroup, 'id' | 'workspaceId'>,
    userIds: string[],
  ): Promise<{ userId: string; isMember: boolean }[]> {
    return query(this.#em, addMembersSql, [id, workspaceId, userIds])
  }

  /** Removes people from a group. Returns those whom the directory had added. */
  async removeMembers(id: string, userIds: string[]): Promise<string[]> {
    const sql = `delete from scim_group_members
      where group_id = $1 and user_id = any($2::uuid[]) returning user_id as id`
    const rows = await query<{ id: string }>(this.#em, sql, [id, userIds])
    return rows.map(({ id }) => id)
  }
}

/** $1 workspace. */
const fromSql =
  'from groups g left join scim_groups s on s.group_id = g.id where g.workspace_id = $1'

const countSql = `select count(*)::int as total ${fromSql}`

const selectSql = `
  select g.id, g.workspace_id as "workspaceId", g.name, s.external_id as "externalId",
    g.created_at as "createdAt", ${groupUpdatedSql} as "updatedAt" ${fromSql}`

/** $1 group IDs, $2 maximum. Stops counting members there. */
const countFittingSql = `
  with recursive counted (count, members) as (
    select 0, 0
    union all
    select count + 1, members + (
      select count(*)::int from (
        select from scim_group_members where group_id = ($1::uuid[])[count + 1] limit $2 + 1
      ) listed
    )
    from counted where count < cardinality($1) and members <= $2::int
  )
  select max(count) as count from counted where members <= $2`

/** $1 group IDs. */
const listMembersSql = `
  select sg.group_id as "groupId", sg.user_id as "userId", s.user_name as "userName"
  from scim_group_members sg
  join scim_users s on s.workspace_id = sg.workspace_id and s.user_id = sg.user_id
  where sg.group_id = any($1::uuid[]) order by sg.user_id`

/** $1 ID, $2 workspace, $3 external ID, $4 time. */
const saveSql = `
  insert into scim_groups (group_id, workspace_id, external_id, updated_at)
  values ($1, $2, $3, $4)
  on conflict (group_id) do update set external_id = excluded.external_id,
    updated_at = excluded.updated_at`

/** $1 group, $2 workspace, $3 user IDs. */
const addMembersSql = `
  with provisioned as (
    select user_id from scim_users
    where workspace_id = $2 and user_id = any($3::uuid[]) and deleted_at is null
  ), added as (
    insert into scim_group_members (group_id, user_id, workspace_id)
    select $1::uuid, user_id, $2::uuid from provisioned on conflict do nothing
  )
  select p.user_id as "userId", exists (
    select from live_members m where m.workspace_id = $2 and m.user_id = p.user_id
  ) as "isMember"
  from provisioned p order by p.user_id`
