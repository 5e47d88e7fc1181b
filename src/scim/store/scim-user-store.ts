import type { EntityManager } from '@mikro-orm/postgresql'
import { isLiveResource } from '../../database/deleted-rows.ts'
import { query } from '../../database/query.ts'
import type { Timestamp } from '../../database/sql-values.ts'
import type { MemberId } from '../../workspaces/store/member-store.ts'
import type { Filter } from '../filter.ts'
import type { Attributes } from '../resource.ts'
import { findUserSource, isGuestSql, isMemberSql } from './filter-sources.ts'
import { listFiltered, type Page, type ScimPage } from './list-filtered.ts'

/** A person as the directory describes them to one workspace. */
export type ScimUser = MemberId & {
  userName: string
  externalId: string | null
  /** All other attributes. */
  attributes: Attributes
  /** Whether the directory wants the person to be a member. */
  isActive: boolean
  /** Whether the person is a member. */
  isMember: boolean
  /** Whether the member is a guest. */
  isGuest: boolean
  createdAt: Timestamp
  updatedAt: Timestamp
}

/** A group that the directory has put a person into. */
export type ScimUserGroup = { userId: string; id: string; name: string }

/** What the directory says about a person. */
export type ScimUserChanges = Pick<ScimUser, 'userName' | 'externalId' | 'attributes' | 'isActive'>

/** The numbers of people of a workspace whom its directory wants as members or not. */
export type ScimSummary = { active: number; inactive: number; changedAt: Timestamp | null }

/** The people whom directories have provisioned. */
export class ScimUserStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  async find({ workspaceId, userId }: MemberId): Promise<ScimUser | undefined> {
    const sql = `${selectSql} and s.user_id = $2`
    const [user] = await query<ScimUser>(this.#em, sql, [workspaceId, userId])
    return user
  }

  /**
   * Returns a page of the people of a workspace who match a filter, by ID, and the number of all of
   * them.
   *
   * @throws a ServiceError INVALID_FILTER
   */
  list(workspaceId: string, filter: Filter | undefined, page: Page): Promise<ScimPage<ScimUser>> {
    const statements = { count: countSql, select: selectSql, id: 's.user_id' }
    return listFiltered(this.#em, workspaceId, filter, findUserSource, statements, page)
  }

  /** Returns how many of these people, from the first one on, are in at most `max` groups together. */
  async countFitting(workspaceId: string, userIds: string[], max: number): Promise<number> {
    const values = [workspaceId, userIds, max]
    const [row] = await query<{ count: number }>(this.#em, countFittingSql, values)
    return row?.count ?? 0
  }

  /** Returns the groups that the directory has put people into, by name. */
  listGroups(workspaceId: string, userIds: string[]): Promise<ScimUserGroup[]> {
    return query(this.#em, listGroupsSql, [workspaceId, userIds])
  }

  /** Returns what the directories of all workspaces have said about a person. */
  listOfUser(userId: string): Promise<Omit<ScimUser, 'isMember' | 'isGuest'>[]> {
    const sql = `select ${columns} from scim_users s where s.user_id = $1 order by s.workspace_id`
    return query(this.#em, sql, [userId])
  }

  /**
   * Locks what a workspace knows about a person until the end of the transaction. Returns whether the
   * directory has deleted the person; undefined if it never provisioned them.
   */
  async lock({ workspaceId, userId }: MemberId): Promise<{ isDeleted: boolean } | undefined> {
    const [user] = await query<{ isDeleted: boolean }>(this.#em, lockSql, [workspaceId, userId])
    return user
  }

  /** Whether another person of the workspace has the name. */
  async isTaken({ workspaceId, userId }: MemberId, userName: string): Promise<boolean> {
    const rows = await query(this.#em, isTakenSql, [workspaceId, userName, userId])
    return rows.length > 0
  }

  /** Returns the ID of the person whom the directory of a workspace calls by an address. */
  async findIdByName(workspaceId: string, userName: string): Promise<string | undefined> {
    const sql = `select user_id as id from scim_users
      where workspace_id = $1 and user_name = $2 and deleted_at is null`
    const [user] = await query<{ id: string }>(this.#em, sql, [workspaceId, userName])
    return user?.id
  }

  /** Returns up to two people to whom the directory of a workspace gave one of these IDs. */
  findByExternalIds(
    workspaceId: string,
    externalIds: string[],
  ): Promise<Pick<ScimUser, 'userId' | 'userName'>[]> {
    return query(this.#em, findByExternalIdsSql, [workspaceId, externalIds])
  }

  /**
   * Returns what the directory of a workspace calls a person, or called them until it deleted them;
   * undefined if it never provisioned them.
   */
  async findName({ workspaceId, userId }: MemberId): Promise<string | undefined> {
    const sql = `select user_name as name from scim_users
      where workspace_id = $1 and user_id = $2`
    const [user] = await query<{ name: string }>(this.#em, sql, [workspaceId, userId])
    return user?.name
  }

  /**
   * Changes the address of a user, unless another user has it or this one is known outside the
   * workspace. The user must be locked.
   */
  async moveAddress({ workspaceId, userId }: MemberId, email: string): Promise<boolean> {
    return (await query(this.#em, moveAddressSql, [workspaceId, userId, email])).length > 0
  }

  /** Adds a person, or restores one whom the directory has deleted. */
  async insert({ workspaceId, userId }: MemberId, user: ScimUserChanges, now: Date): Promise<void> {
    await query(this.#em, insertSql, [workspaceId, userId, ...toValues(user), now])
  }

  async update({ workspaceId, userId }: MemberId, user: ScimUserChanges, now: Date): Promise<void> {
    await query(this.#em, updateSql, [workspaceId, userId, ...toValues(user), now])
  }

  /**
   * Removes what a workspace knows about a person, and remembers that they must not join again by a
   * connection.
   */
  async delete({ workspaceId, userId }: MemberId, now: Date): Promise<void> {
    await query(this.#em, deleteGroupsSql, [workspaceId, userId])
    await query(this.#em, deleteSql, [workspaceId, userId, now])
  }

  /** Whether the directory of a workspace has deactivated or deleted a person. */
  async isBlocked({ workspaceId, userId }: MemberId): Promise<boolean> {
    const sql = `select from scim_users
      where workspace_id = $1 and user_id = $2 and not is_active`
    return (await query(this.#em, sql, [workspaceId, userId])).length > 0
  }

  /** Returns how many resources of a workspace a person owns. */
  async countResources({ workspaceId, userId }: MemberId): Promise<number> {
    const [row] = await query<{ count: number }>(this.#em, countResourcesSql, [workspaceId, userId])
    return row?.count ?? 0
  }

  /** Returns how many people of a workspace its directory wants as members or not, and its last change. */
  async summarize(workspaceId: string): Promise<ScimSummary> {
    const [summary] = await query<ScimSummary>(this.#em, summarizeSql, [workspaceId])
    return summary ?? { active: 0, inactive: 0, changedAt: null }
  }

  /** Returns how many people are members of a workspace and have joined it. */
  async countMembers(workspaceId: string): Promise<number> {
    const [row] = await query<{ count: number }>(this.#em, countMembersSql, [workspaceId])
    return row?.count ?? 0
  }
}

function toValues({ userName, externalId, attributes, isActive }: ScimUserChanges): unknown[] {
  return [userName, externalId, JSON.stringify(attributes), isActive]
}

/** $1 workspace. */
const fromSql = 'from scim_users s where s.workspace_id = $1 and s.deleted_at is null'

const countSql = `select count(*)::int as total ${fromSql}`

const columns = `s.workspace_id as "workspaceId", s.user_id as "userId", s.user_name as "userName",
    s.external_id as "externalId", s.attributes, s.is_active as "isActive",
    s.created_at as "createdAt", s.updated_at as "updatedAt"`

const selectSql = `select ${columns}, ${isMemberSql} as "isMember", ${isGuestSql} as "isGuest"
  ${fromSql}`

/** $1 workspace, $2 user IDs, $3 maximum. Stops counting groups there. */
const countFittingSql = `
  with recursive counted (count, groups) as (
    select 0, 0
    union all
    select count + 1, groups + (
      select count(*)::int from (
        select from scim_group_members
        where workspace_id = $1 and user_id = ($2::uuid[])[count + 1] limit $3 + 1
      ) listed
    )
    from counted where count < cardinality($2) and groups <= $3::int
  )
  select max(count) as count from counted where groups <= $3`

/** $1 workspace, $2 user IDs. */
const listGroupsSql = `
  select sg.user_id as "userId", g.id, g.name
  from scim_group_members sg join groups g on g.id = sg.group_id
  where sg.workspace_id = $1 and sg.user_id = any($2::uuid[])
  order by g.name, g.id`

/** $1 workspace, $2 user. */
const lockSql = `
  select deleted_at is not null as "isDeleted" from scim_users
  where workspace_id = $1 and user_id = $2 for update`

/** $1 workspace, $2 name, $3 user who may have it. */
const isTakenSql = `
  select from scim_users
  where workspace_id = $1 and user_name = $2 and user_id <> $3 and deleted_at is null`

/** $1 workspace, $2 external IDs. */
const findByExternalIdsSql = `
  select user_id as "userId", user_name as "userName" from scim_users
  where workspace_id = $1 and external_id = any($2::text[]) and deleted_at is null
  order by user_id limit 2`

/** $1 workspace, $2 user, $3 address. */
const moveAddressSql = `
  update users u set email = $3
  where u.id = $2 and not u.is_admin
    and not exists (select from users o where o.email = $3)
    and not exists (select from linked_accounts where user_id = $2)
    and not exists (select from live_members where user_id = $2 and workspace_id <> $1)
    and not exists (select from scim_users where user_id = $2 and workspace_id <> $1)
  returning u.id`

/** $1 workspace, $2 user, $3 name, $4 external ID, $5 attributes, $6 whether active, $7 time. */
const insertSql = `
  insert into scim_users (workspace_id, user_id, user_name, external_id, attributes, is_active,
    created_at, updated_at)
  values ($1, $2, $3, $4, $5::jsonb, $6, $7, $7)
  on conflict (workspace_id, user_id) do update set user_name = excluded.user_name,
    external_id = excluded.external_id, attributes = excluded.attributes,
    is_active = excluded.is_active, created_at = excluded.created_at,
    updated_at = excluded.updated_at, deleted_at = null`

/** As in `insertSql`. */
const updateSql = `
  update scim_users set user_name = $3, external_id = $4, attributes = $5::jsonb, is_active = $6,
    updated_at = $7
  where workspace_id = $1 and user_id = $2`

/** $1 workspace, $2 user, $3 time. */
const deleteSql = `
  update scim_users set external_id = null, attributes = '{}', is_active = false, updated_at = $3,
    deleted_at = $3
  where workspace_id = $1 and user_id = $2`

/** $1 workspace, $2 user. */
const deleteGroupsSql = 'delete from scim_group_members where workspace_id = $1 and user_id = $2'

/** $1 workspace, $2 user. */
const countResourcesSql = `
  select count(*)::int as count from resources r
  where r.workspace_id = $1 and r.owner_id = $2 and ${isLiveResource('r')}`

/** $1 workspace. */
const summarizeSql = `
  select count(*) filter (where is_active)::int as active,
    count(*) filter (where not is_active and deleted_at is null)::int as inactive,
    max(updated_at) as "changedAt"
  from scim_users where workspace_id = $1`

/** $1 workspace. */
const countMembersSql = `
  select count(*)::int as count from live_members m join users u on u.id = m.user_id
  where m.workspace_id = $1 and m.joined_at is not null and u.workspace_id is null`
