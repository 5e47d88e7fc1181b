import type { EntityManager } from '@mikro-orm/postgresql'
import { isInLiveWorkspace } from '../../database/deleted-rows.ts'
import { CustomRole } from '../../database/entities/custom-roles.ts'
import { createFilters } from '../../database/filters.ts'
import { findPage, type Page, type PageRequest } from '../../database/page.ts'
import { query } from '../../database/query.ts'
import { addSearch } from '../../database/search.ts'
import type { Timestamp } from '../../database/sql-values.ts'
import { type MemberProfile, selectProfilesSql } from './member-store.ts'

/** A custom role with the numbers of its actions and members. */
export type StoredRole = {
  id: string
  workspaceId: string
  name: string
  description: string
  createdAt: Timestamp
  actionCount: number
  memberCount: number
  groupCount: number
}

/** A registered action of a service. */
export type RoleAction = {
  id: string
  serviceName: string
  name: string
  description: string
  registeredAt: Timestamp
}

/** The name of a registered action. */
export type RoleActionName = Pick<RoleAction, 'id' | 'serviceName' | 'name'>

/** The custom roles of workspaces, with their actions and members. */
export class RoleStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Finds a role, in a workspace if one is given. */
  async find(id: string, workspaceId?: string): Promise<StoredRole | undefined> {
    const [role] = await query<StoredRole>(this.#em, findSql, [id, workspaceId])
    return role
  }

  /** Locks a role until the end of the transaction and returns it. */
  async lock(id: string, workspaceId?: string): Promise<StoredRole | undefined> {
    const sql = `${findSql} for no key update of r`
    const [role] = await query<StoredRole>(this.#em, sql, [id, workspaceId])
    return role
  }

  /** Returns the roles of a workspace, by name; `q` matches names. */
  list(workspaceId: string, q: string | undefined): Promise<StoredRole[]> {
    const { from, values } = selectRoles(workspaceId, q)
    return query(this.#em, `select ${columns} from ${from} order by ${order}`, values)
  }

  /** Returns a page of `list`. */
  listPage(
    workspaceId: string,
    q: string | undefined,
    page: PageRequest,
  ): Promise<Page<StoredRole>> {
    const listQuery = { select: columns, orderBy: order, ...selectRoles(workspaceId, q) }
    return findPage(this.#em, page, listQuery)
  }

  /** Returns the roles that a user or one of their groups has, by name. */
  listOfUser(userId: string): Promise<StoredRole[]> {
    return query(
      this.#em,
      `select ${columns} from custom_roles r
       where r.id in (
         select role_id from custom_role_members where user_id = $1
         union
         select rg.role_id from group_members g
         join custom_role_groups rg on rg.group_id = g.group_id
         where g.user_id = $1
       )
       order by ${order}`,
      [userId],
    )
  }

  async insert({
    workspaceId,
    ...role
  }: {
    id: string
    workspaceId: string
    name: string
    description: string
  }): Promise<void> {
    await this.#em.insert(CustomRole, { ...role, workspace_id: workspaceId })
  }

  async update(id: string, changes: { name?: string; description?: string }): Promise<void> {
    await this.#em.nativeUpdate(CustomRole, { id }, changes)
  }

  /** Deletes a role; its members lose its actions. */
  async delete(id: string): Promise<void> {
    await this.#em.nativeDelete(CustomRole, { id })
  }

  /** Returns the actions of a role, by service and name. */
  listActions(roleId: string): Promise<RoleAction[]> {
    return query(
      this.#em,
      `select a.id, a.service_name as "serviceName", a.name, a.description,
         a.registered_at as "registeredAt"
       from custom_role_actions r join service_actions a on a.id = r.service_action_id
       where r.role_id = $1 order by a.service_name, a.name`,
      [roleId],
    )
  }

  /** Finds registered actions of any service, in order of their IDs. */
  findRegisteredActions(ids: string[]): Promise<RoleActionName[]> {
    return query(
      this.#em,
      `select id, service_name as "serviceName", name from service_actions
       where id = any($1::uuid[]) order by id`,
      [ids],
    )
  }

  /** Adds an action to a role. Returns false if the role already contains it. */
  async addAction(roleId: string, actionId: string): Promise<boolean> {
    const inserted = await query(
      this.#em,
      `insert into custom_role_actions (role_id, service_action_id) values ($1, $2)
       on conflict do nothing returning role_id`,
      [roleId, actionId],
    )
    return inserted.length > 0
  }

  /**
   * Removes an action from a role and returns it, or undefined if the role does not contain it.
   */
  async removeAction(roleId: string, actionId: string): Promise<RoleActionName | undefined> {
    const [removed] = await query<RoleActionName>(
      this.#em,
      `delete from custom_role_actions r using service_actions a
       where r.role_id = $1 and r.service_action_id = $2 and a.id = r.service_action_id
       returning a.id, a.service_name as "serviceName", a.name`,
      [roleId, actionId],
    )
    return removed
  }

  /** Returns the members who have a role, by user ID; `q` matches names and e-mail addresses. */
  listMembers(roleId: string, q: string | undefined): Promise<MemberProfile[]> {
    const { from, values } = selectMembers(roleId, q)
    return query(this.#em, `select * from ${from} order by "userId"`, values)
  }

  /** Returns a page of the members who have a role, by name or e-mail address. */
  listMemberPage(
    roleId: string,
    q: string | undefined,
    page: PageRequest,
  ): Promise<Page<MemberProfile>> {
    const orderBy = `lower(coalesce(nullif(name, ''), email)), "userId"`
    return findPage(this.#em, page, { select: '*', orderBy, ...selectMembers(roleId, q) })
  }

  /** Assigns a role to a member of its workspace. Returns false if the member already has it. */
  async addMember(
    { id, workspaceId }: Pick<StoredRole, 'id' | 'workspaceId'>,
    userId: string,
  ): Promise<boolean> {
    const inserted = await query(
      this.#em,
      `insert into custom_role_members (role_id, user_id, workspace_id) values ($1, $2, $3)
       on conflict do nothing returning user_id`,
      [id, userId, workspaceId],
    )
    return inserted.length > 0
  }

  /** Removes a role from a member. Returns false if the member does not have it. */
  async removeMember(roleId: string, userId: string): Promise<boolean> {
    const sql =
      'delete from custom_role_members where role_id = $1 and user_id = $2 returning user_id'
    return (await query(this.#em, sql, [roleId, userId])).length > 0
  }

  /** Assigns a role to a group of its workspace. Returns false if the group already has it. */
  async addGroup(
    { id, workspaceId }: Pick<StoredRole, 'id' | 'workspaceId'>,
    groupId: string,
  ): Promise<boolean> {
    const inserted = await query(
      this.#em,
      `insert into custom_role_groups (role_id, group_id, workspace_id) values ($1, $2, $3)
       on conflict do nothing returning group_id`,
      [id, groupId, workspaceId],
    )
    return inserted.length > 0
  }

  /** Removes a role from a group. Returns false if the group does not have it. */
  async removeGroup(roleId: string, groupId: string): Promise<boolean> {
    const sql =
      'delete from custom_role_groups where role_id = $1 and group_id = $2 returning group_id'
    return (await query(this.#em, sql, [roleId, groupId])).length > 0
  }
}

const columns = `
  r.id, r.workspace_id as "workspaceId", r.name, r.description, r.created_at as "createdAt",
  (select count(*)::int from custom_role_actions where role_id = r.id) as "actionCount",
  (select count(*)::int from custom_role_members where role_id = r.id) as "memberCount",
  (select count(*)::int from custom_role_groups where role_id = r.id) as "groupCount"`

/** $1 ID, $2 ID of the workspace, or null for any. */
const findSql = `
  select ${columns} from custom_roles r
  where r.id = $1 and ($2::uuid is null or r.workspace_id = $2)
    and ${isInLiveWorkspace('r.workspace_id')}`

const order = 'r.name, r.id'

function selectRoles(workspaceId: string, q: string | undefined) {
  const filters = createFilters()
  filters.add(workspaceId, (id) => `r.workspace_id = ${id}`)
  addSearch(filters, q, 'r.name')
  return { from: `custom_roles r ${filters.where()}`, values: filters.values }
}

function selectMembers(roleId: string, q: string | undefined) {
  const members = `${selectProfilesSql('custom_role_members', true)} where s.role_id = $1`
  const filters = createFilters(roleId)
  addSearch(filters, q, 'email', 'name')
  return { from: `(${members}) member ${filters.where()}`, values: filters.values }
}
