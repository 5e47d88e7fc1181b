import type { EntityManager } from '@mikro-orm/postgresql'
import type { ActivityEntry } from '../../../gen/daikon/v1/admin_records.ts'
import { isInLiveWorkspace } from '../../database/deleted-rows.ts'
import { query } from '../../database/query.ts'
import type { Nullable } from '../../database/sql-values.ts'
import { type Cursor, createCursor, isSameCursor } from '../feed/cursor.ts'
import { type EntryRow, toEntry } from './activity-store.ts'
import { entryColumns } from './entry-query.ts'

/** An entry and the cursor after it. */
export type FeedEntry = { cursor: Cursor; entry: ActivityEntry }

/** A service, and a workspace or user with which it has to do. */
export type Relation = { service: string; id: string }

/** A group, role, workspace or resource type that events name, and a user whom it reaches. */
export type Reached = {
  kind: 'group' | 'role' | 'managers' | 'conditions'
  id: string
  /** Null for a resource type with conditions, which reaches everyone. */
  userId: string | null
}

type Ends = { firstPosition: number; hashBefore: string; lastPosition: number; lastHash: string }

/** Sealed entries by position, for readers that follow the log. */
export class FeedStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Returns the cursor before the first entry that is retained. */
  async findStart(): Promise<Cursor> {
    const { firstPosition, hashBefore } = await this.#readEnds()
    return createCursor(firstPosition - 1, hashBefore)
  }

  /** Returns the cursor after the last entry. */
  async findEnd(): Promise<Cursor> {
    const { lastPosition, lastHash } = await this.#readEnds()
    return createCursor(lastPosition, lastHash)
  }

  /**
   * Returns the entries after a cursor, or undefined if the entries at or after the cursor were
   * deleted, or belong to another history of the database. The statement reads the entry at the
   * cursor, too, so that nothing can change between the check and the reading.
   */
  async readAfter(cursor: Cursor, limit: number): Promise<FeedEntry[] | undefined> {
    type Row = Nullable<EntryRow & { position: number; hash: string }> & Ends
    const rows = await query<Row>(this.#em, entriesSql, [cursor.position, limit + 1])
    const [first] = rows
    if (!first) throw new Error('The table activity_chain is empty')
    const before = createCursor(first.firstPosition - 1, first.hashBefore)
    const entries = rows.flatMap((row): FeedEntry[] => {
      const { position, hash, firstPosition, hashBefore, lastPosition, lastHash, ...entry } = row
      if (position === null) return []
      return [{ cursor: createCursor(position, hash as string), entry: toEntry(entry as EntryRow) }]
    })
    const at = entries[0]?.cursor.position === cursor.position ? entries.shift()?.cursor : before
    return at && isSameCursor(at, cursor) ? entries.slice(0, limit) : undefined
  }

  /**
   * Returns which services have resources in which workspaces, and in workspaces of which users.
   */
  findRelations(
    services: string[],
    workspaceIds: string[],
    userIds: string[],
  ): Promise<Relation[]> {
    return query(this.#em, relationsSql, [services, workspaceIds, userIds])
  }

  /**
   * Returns which of the users are members of which groups, hold which roles and manage which
   * workspaces, and which resource types (`service/type`) have conditions.
   */
  findConcerned(
    userIds: string[],
    named: { groups: string[]; roles: string[]; workspaces: string[]; types: string[] },
  ): Promise<Reached[]> {
    const { groups, roles, workspaces, types } = named
    return query(this.#em, concernedSql, [userIds, groups, roles, workspaces, types])
  }

  async #readEnds(): Promise<Ends> {
    const [ends] = await query<Ends>(this.#em, `select ${endColumns} from activity_chain c`)
    if (!ends) throw new Error('The table activity_chain is empty')
    return ends
  }
}

const endColumns = `c.first_seq::float8 as "firstPosition", c.hash_before_first as "hashBefore",
  c.last_seq::float8 as "lastPosition", c.last_hash as "lastHash"`

/**
 * $1 position, $2 limit. Returns the ends of the chain with each entry from the position on, or once
 * if there are none.
 */
const entriesSql = `
  select ${endColumns}, a.* from activity_chain c
  left join lateral (
    select ${entryColumns}, seal_seq::float8 as position, seal_hash as hash from activity
    where seal_seq >= $1 order by activity.seal_seq limit $2
  ) a on true
  order by a.position`

/** $1 names of services, $2 IDs of workspaces, $3 IDs of users. */
const relationsSql = `
  select service, workspace.id from unnest($1::text[]) service, unnest($2::uuid[]) workspace (id)
  where exists (
    select from resource_kinds k join resources r on r.kind_id = k.id
    where k.service_name = service and r.workspace_id = workspace.id
      and ${isInLiveWorkspace('r.workspace_id')}
  )
  union all
  select service, person.id from unnest($1::text[]) service, unnest($3::uuid[]) person (id)
  where exists (
    select from live_members m
    join resource_kinds k on k.service_name = service
    join resources r on r.kind_id = k.id and r.workspace_id = m.workspace_id
    where m.user_id = person.id
  )`

/** $1 IDs of users, $2 of groups, $3 of roles, $4 of workspaces, $5 resource types. */
const concernedSql = `
  select 'group' as kind, group_id::text as id, user_id as "userId" from group_members
  where group_id = any($2::uuid[]) and user_id = any($1::uuid[])
  union all
  select 'role', role_id::text, user_id from custom_role_members
  where role_id = any($3::uuid[]) and user_id = any($1::uuid[])
  union all
  select 'role', r.role_id::text, m.user_id from custom_role_groups r join group_members m using (group_id)
  where r.role_id = any($3::uuid[]) and m.user_id = any($1::uuid[])
  union all
  select 'managers', workspace_id::text, user_id from live_members
  where workspace_id = any($4::uuid[]) and user_id = any($1::uuid[]) and role in ('owner', 'admin')
  union all
  select 'conditions', type, null from unnest($5::text[]) type
  where exists (
    select from resource_conditions c join resource_kinds k on k.id = c.kind_id
    where k.service_name = split_part(type, '/', 1) and k.resource_type = split_part(type, '/', 2)
  )`
