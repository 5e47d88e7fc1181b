import type { EntityManager } from '@mikro-orm/postgresql'
import { isInLiveWorkspace } from '../../database/deleted-rows.ts'
import { Group } from '../../database/entities/people.ts'
import { createFilters } from '../../database/filters.ts'
import { findPage, type Page, type PageRequest } from '../../database/page.ts'
import { query } from '../../database/query.ts'
import { addSearch } from '../../database/search.ts'
import type { Timestamp } from '../../database/sql-values.ts'
import { type MemberProfile, selectProfilesSql } from './member-store.ts'

/** A group of members of a workspace. */
export type StoredGroup = {
  id: string
  workspaceId: string
  name: string
  description: string
  createdBy: string | null
  createdAt: Timestamp
}

/** A member of a group; an effective one has the path to the group that the user was added to. */
export type GroupMemberProfile = MemberProfile & { via?: string[] }

/**
 * Selects members of a group, or with `effective` also members of its descendants; `q` matches names
 * and e-mail addresses. The names and avatars of invited users are empty unless `showsInvited` is set.
 */
export type GroupMemberFilter = {
  groupId: string
  effective?: boolean | undefined
  q?: string | undefined
  showsInvited: boolean
}

/** The groups of workspaces. GroupHierarchyStore changes their members and links. */
export class GroupStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Finds a group, in one workspace if `workspaceId` is set. */
  async find(id: string, workspaceId?: string): Promise<StoredGroup | undefined> {
    const [group] = await query<StoredGroup>(this.#em, findSql, [id, workspaceId])
    return group
  }

  /** Like `find`, and locks the group until the end of the transaction. */
  async lock(id: string, workspaceId?: string): Promise<StoredGroup | undefined> {
    const sql = `${findSql} for no key update`
    const [group] = await query<StoredGroup>(this.#em, sql, [id, workspaceId])
    return group
  }

  /** Returns the groups of a workspace, by name; `q` matches names. */
  list(workspaceId: string, q?: string): Promise<StoredGroup[]> {
    const { from, values } = selectGroups(workspaceId, q)
    return query(this.#em, `select ${columns} from ${from} order by ${order}`, values)
  }

  /** Returns a page of `list`. */
  listPage(
    workspaceId: string,
    q: string | undefined,
    page: PageRequest,
  ): Promise<Page<StoredGroup>> {
    const listQuery = { select: columns, orderBy: order, ...selectGroups(workspaceId, q) }
    return findPage(this.#em, page, listQuery)
  }

  /** Returns the groups that a user is a direct member of, by name. */
  listOfUser(userId: string): Promise<StoredGroup[]> {
    return query(
      this.#em,
      `select ${columns} from groups
       where id in (select group_id from group_members where user_id = $1 and is_direct)
       order by ${order}`,
      [userId],
    )
  }

  /** Returns the groups that have a custom role, by name. */
  listOfRole(roleId: string): Promise<StoredGroup[]> {
    return query(
      this.#em,
      `select ${columns} from groups
       where id in (select group_id from custom_role_groups where role_id = $1) order by ${order}`,
      [roleId],
    )
  }

  /** Returns the children of a group, by name. */
  listChildren(id: string): Promise<StoredGroup[]> {
    return query(
      this.#em,
      `select ${columns} from groups
       where id in (select child_id from group_parents where parent_id = $1) order by ${order}`,
      [id],
    )
  }

  /** Returns which of these users are direct members of a group. */
  async findDirectMembers(id: string, userIds: string[]): Promise<Set<string>> {
    const rows = await query<{ id: string }>(
      this.#em,
      `select user_id as id from group_members
       where group_id = $1 and user_id = any($2::uuid[]) and is_direct`,
      [id, userIds],
    )
    return new Set(rows.map(({ id }) => id))
  }

  async insert({
    workspaceId,
    createdBy,
    ...group
  }: {
    id: string
    workspaceId: string
    name: string
    description: string
    createdBy: string | undefined
  }): Promise<void> {
    const creator = createdBy ?? null
    await this.#em.insert(Group, { ...group, workspace_id: workspaceId, created_by: creator })
  }

  async update(id: string, changes: { name?: string; description?: string }): Promise<void> {
    await this.#em.nativeUpdate(Group, { id }, changes)
  }

  /** Deletes a group with its memberships and the shares granted to it. */
  async delete(id: string): Promise<void> {
    await this.#em.nativeDelete(Group, { id })
  }

  /** Returns the members of a group, by user ID. */
  listMembers(filter: GroupMemberFilter): Promise<GroupMemberProfile[]> {
    const { from, values } = selectMembers(filter)
    return query(this.#em, `select * from ${from} order by "userId"`, values)
  }

  /** Returns a page of the members of a group, by name or e-mail address. */
  listMemberPage(filter: GroupMemberFilter, page: PageRequest): Promise<Page<GroupMemberProfile>> {
    const orderBy = `lower(coalesce(nullif(name, ''), email)), "userId"`
    return findPage(this.#em, page, { select: '*', orderBy, ...selectMembers(filter) })
  }
}

const columns = `id, workspace_id as "workspaceId", name, description, created_by as "createdBy",
  created_at as "createdAt"`

/** $1 ID, $2 ID of the workspace, or null for any. */
const findSql = `
  select ${columns} from groups
  where id = $1 and ($2::uuid is null or workspace_id = $2) and ${isInLiveWorkspace('workspace_id')}`

const order = 'name, id'

function selectGroups(workspaceId: string, q: string | undefined) {
  const filters = createFilters()
  filters.add(workspaceId, (id) => `workspace_id = ${id}`)
  addSearch(filters, q, 'name')
  return { from: `groups ${filters.where()}`, values: filters.values }
}

function selectMembers({ groupId, effective, q, showsInvited }: GroupMemberFilter) {
  const members = effective ? effectiveMembersSql(showsInvited) : directMembersSql(showsInvited)
  const filters = createFilters(groupId)
  addSearch(filters, q, 'email', 'name')
  return { from: `(${members}) member ${filters.where()}`, values: filters.values }
}

/** $1 group ID. */
const directMembersSql = (showsInvited: boolean) =>
  `${selectProfilesSql('group_members', showsInvited)} where s.group_id = $1 and s.is_direct`

/**
 * $1 group ID. Selects the members of the group and of its descendants, each with a shortest path.
 * The paths form a tree, so the cost does not grow if groups have several parents.
 */
const effectiveMembersSql = (showsInvited: boolean) => `
  with recursive below (id, depth) as (
    select $1::uuid, 0
    union
    select p.child_id, depth + 1 from below b join group_parents p on p.parent_id = b.id
  ), nearest as materialized (
    select id, min(depth) as depth from below group by id
  ), steps as materialized (
    select distinct on (p.child_id) p.child_id as id, p.parent_id
    from group_parents p
    join nearest child on child.id = p.child_id
    join nearest parent on parent.id = p.parent_id and parent.depth = child.depth - 1
    order by p.child_id, p.parent_id
  ), paths (id, path) as (
    select $1::uuid, '{}'::uuid[]
    union all
    select s.id, path || s.id from paths join steps s on s.parent_id = paths.id
  ), memberships as (
    select distinct on (m.user_id) m.user_id, m.workspace_id, m.added_at, path
    from paths join group_members m on m.group_id = paths.id and m.is_direct
    order by m.user_id, cardinality(path), path
  )
  ${selectProfilesSql('memberships', showsInvited, 's.path::text[] as via')}`
