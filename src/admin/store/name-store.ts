import type { EntityManager } from '@mikro-orm/postgresql'
import { isInLiveWorkspace, isLiveResource } from '../../database/deleted-rows.ts'
import { query } from '../../database/query.ts'

/** An object that activity entries refer to. */
export type NamedObject = { id: string; type: string; name: string; workspaceId: string | null }

/** The names of all kinds of objects. */
export class NameStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Returns the objects that the IDs identify. Omits IDs that do not exist. */
  find(ids: string[]): Promise<NamedObject[]> {
    return query(this.#em, namesSql, [ids])
  }

  /**
   * Returns the workspace, its members and its objects that the IDs identify, and the client apps that are bound
   * to it or act by its delegations. Omits other IDs.
   */
  findInWorkspace(ids: string[], workspaceId: string): Promise<NamedObject[]> {
    return query(this.#em, workspaceNamesSql, [ids, workspaceId])
  }
}

/** $1 IDs. Each subquery looks them up by primary key. */
const namesSql = `
  select id, 'user' as type, coalesce(nullif(name, ''), email) as name,
      workspace_id as "workspaceId"
    from users where id = any($1::uuid[])
  union all
  select id, 'workspace', name, id from workspaces where id = any($1::uuid[])
  union all
  select id, 'group', name, workspace_id from groups
    where id = any($1::uuid[]) and ${isInLiveWorkspace('workspace_id')}
  union all
  select id, 'role', name, workspace_id from custom_roles
    where id = any($1::uuid[]) and ${isInLiveWorkspace('workspace_id')}
  union all
  select id, 'service_app', name, null from service_apps where id = any($1::uuid[])
  union all
  select id, 'client_app', name, null from client_apps where id = any($1::uuid[])
  union all
  select id, 'management_app', name, null from management_apps where id = any($1::uuid[])
  union all
  select r.id, 'permission',
      k.service_name || '/' || k.resource_type || '/' || coalesce(r.external_id, r.resource_id::text),
      r.workspace_id
    from resources r join resource_kinds k on k.id = r.kind_id
    where r.id = any($1::uuid[]) and ${isLiveResource('r')}`

/** $1 IDs, $2 workspace ID. */
const workspaceNamesSql = `
  select n.* from (${namesSql}) n
  where n."workspaceId" = $2 or (n.type = 'user' and exists (
    select from live_members m where m.user_id = n.id and m.workspace_id = $2))
  union all
  select c.id, 'client_app', c.name, c.workspace_id from client_apps c
  where c.id = any($1::uuid[]) and (c.workspace_id = $2 or exists (
    select from delegations d where d.agent_id = c.id and d.workspace_id = $2))`
