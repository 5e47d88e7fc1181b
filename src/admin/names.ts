import type { LookUpNamesRequest, LookUpNamesResponse } from '../../gen/daikon/v1/admin_records.ts'
import type { RequestContext } from '../core/request-context.ts'
import { query } from '../database/query.ts'

type NameRow = { id: string; type: string; name: string; workspace_id: string | null }

/** Each subquery looks up its IDs by primary key. */
const namesSql = `
  select id, 'user' as type, coalesce(nullif(name, ''), email) as name, null::uuid as workspace_id
    from users where id = any($1::uuid[])
  union all
  select id, 'workspace', name, id from workspaces where id = any($1::uuid[])
  union all
  select id, 'group', name, workspace_id from groups where id = any($1::uuid[])
  union all
  select id, 'role', name, workspace_id from custom_roles where id = any($1::uuid[])
  union all
  select id, 'service_app', name, null from service_apps where id = any($1::uuid[])
  union all
  select id, 'client_app', name, null from client_apps where id = any($1::uuid[])
  union all
  select r.id, 'permission',
      k.service_name || '/' || k.resource_type || '/' || coalesce(r.external_id, r.resource_id::text),
      r.workspace_id
    from resources r join resource_kinds k on k.id = r.kind_id where r.id = any($1::uuid[])`

/** Returns the objects that the IDs identify. Omits IDs that do not exist. */
export async function lookUpNames(
  { em }: Pick<RequestContext, 'em'>,
  { ids }: LookUpNamesRequest,
): Promise<LookUpNamesResponse> {
  const rows = await query<NameRow>(em, namesSql, [ids])
  return {
    names: rows.map(({ workspace_id, ...row }) => ({
      ...row,
      ...(workspace_id !== null && { workspace_id }),
    })),
  }
}
