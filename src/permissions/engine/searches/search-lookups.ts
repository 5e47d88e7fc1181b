import { isInLiveWorkspace } from '../../../database/deleted-rows.ts'
import { textArray } from '../../../database/sql-values.ts'
import type { Statements } from '../../../database/statement-pool.ts'
import { builtInActions } from '../../access.ts'
import type { Kind } from '../question.ts'

/** How services and people name a resource. */
export type ResourceNames = { externalId: string | null; displayName: string | null }

/** The data that the Access API needs in addition to facts. */
export type SearchLookups = {
  /**
   * Returns the IDs of up to `workspacesPerPage` workspaces of a user from `first` on, in order;
   * only of `workspaceId` if it is set.
   */
  listMemberships(userId: string, first: string, workspaceId?: string): Promise<string[]>
  /** Returns the workspace of a group; only if it is `workspaceId`, if that is set. */
  findWorkspaceOfGroup(groupId: string, workspaceId?: string): Promise<string | undefined>
  /** Returns the workspace of a delegation; only if it is `workspaceId`, if that is set. */
  findWorkspaceOfDelegation(delegationId: string, workspaceId?: string): Promise<string | undefined>
  /** Returns the external IDs and display names of those resources that have any, by resource ID. */
  findResourceNames(kind: Kind, resourceIds: string[]): Promise<Map<string, ResourceNames>>
  /** Returns the names of up to `limit` actions of a service after `after`, in order. */
  listActionNames(serviceName: string, after: string, limit: number): Promise<string[]>
  /** Returns the types that the service has registered. */
  listRegisteredTypes(serviceName: string, types: string[]): Promise<string[]>
}

export const workspacesPerPage = 100

const membershipsSql = `
select workspace_id from live_members
where user_id = $1 and workspace_id >= $2 and ($3::uuid is null or workspace_id = $3)
order by workspace_id limit ${workspacesPerPage}`

const groupWorkspaceSql = `
select workspace_id from groups
where id = $1 and ($2::uuid is null or workspace_id = $2) and ${isInLiveWorkspace('workspace_id')}`

const delegationWorkspaceSql = `
select workspace_id from delegations where id = $1 and ($2::uuid is null or workspace_id = $2)`

const resourceNamesSql = `
select r.resource_id, r.external_id, r.display_name
from resource_kinds k join resources r on r.kind_id = k.id
where k.service_name = $1 and k.resource_type = $2 and r.resource_id = any($3::uuid[])
  and (r.external_id is not null or r.display_name is not null)`

const actionNamesSql = `
select name from (
  select unnest($2::text[]) as name
  union
  select name from service_actions where service_name = $1
) actions
where name collate "C" > $3
order by name collate "C" limit $4`

const registeredTypesSql =
  'select resource_type from resource_kinds where service_name = $1 and resource_type = any($2)'

export function createSearchLookups(statements: Statements): SearchLookups {
  return {
    async listMemberships(userId, first, workspaceId) {
      const values = [userId, first, workspaceId]
      const rows = await statements.rows<[string]>('memberships', membershipsSql, values)
      return rows.map(([id]) => id)
    },
    async findWorkspaceOfGroup(groupId, workspaceId) {
      const values = [groupId, workspaceId]
      const rows = await statements.rows<[string]>('group workspace', groupWorkspaceSql, values)
      return rows[0]?.[0]
    },
    async findWorkspaceOfDelegation(delegationId, workspaceId) {
      const values = [delegationId, workspaceId]
      const name = 'delegation workspace'
      const rows = await statements.rows<[string]>(name, delegationWorkspaceSql, values)
      return rows[0]?.[0]
    },
    async findResourceNames({ serviceName, resourceType }, resourceIds) {
      if (resourceIds.length === 0) return new Map()
      const values = [serviceName, resourceType, textArray(resourceIds)]
      type Row = [id: string, externalId: string | null, displayName: string | null]
      const rows = await statements.rows<Row>('resource names', resourceNamesSql, values)
      return new Map(rows.map(([id, externalId, displayName]) => [id, { externalId, displayName }]))
    },
    async listActionNames(serviceName, after, limit) {
      const values = [serviceName, textArray(builtInActions), after, limit]
      const rows = await statements.rows<[string]>('action names', actionNamesSql, values)
      return rows.map(([name]) => name)
    },
    async listRegisteredTypes(serviceName, types) {
      const values = [serviceName, textArray(types)]
      const rows = await statements.rows<[string]>('registered types', registeredTypesSql, values)
      return rows.map(([type]) => type)
    },
  }
}
