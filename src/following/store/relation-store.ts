import type { EntityManager } from '@mikro-orm/postgresql'
import { isInLiveWorkspace } from '../../database/deleted-rows.ts'
import { query } from '../../database/query.ts'

/** A service, and a workspace or user with which it has to do. */
export type Relation = { service: string; id: string }

/** A group, role, workspace or resource type that events name, and a user whom it reaches. */
export type Reached = {
  kind: 'group' | 'role' | 'managers' | 'conditions'
  id: string
  /** Null for a resource type with conditions, which reaches everyone. */
  userId: string | null
}

/** What entries have to do with services and users. */
export class RelationStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
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
}

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
