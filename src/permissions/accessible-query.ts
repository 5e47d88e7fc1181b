import { grant } from './access.ts'
import { callersOf, keysCte } from './accessible-caller.ts'
import { idSeparator } from './accessible-page.ts'
import { isLive } from './grants-query.ts'

/**
 * A FROM item with the queries and the status of their callers. The parameters of `accessibleSql`
 * and `accessibleWithFoldersSql` are arrays: $1 hashes of service keys; $2, $3 kinds (service,
 * type); $4 to $13 queries (token, user, workspace, key, kind, first ID, limit, action, row in the
 * table of sufficient grants, whether the action is `view`). Queries refer to keys and kinds by
 * their position, from 1.
 */
export const queries = callersOf(`(
      select item.*, ($2::text[])[item.kind] as service,
        (array(
          select k.id
          from unnest($2::text[], $3::text[]) with ordinality kind(service, type, position)
          left join resource_kinds k on k.service_name = kind.service and k.resource_type = kind.type
          order by kind.position
        ))[item.kind] as kind_id
      from unnest($4::uuid[], $5::uuid[], $6::uuid[], $7::int[], $8::int[], $9::uuid[], $10::int[],
          $11::text[], $12::int[], $13::bool[]) with ordinality
        item(token_id, user_id, workspace_id, key, kind, first_id, max_ids, action, grants_row,
          is_view, position)
    )`)

/** The index of the query `q`, from 0, and the status of its caller. */
export const callerColumns = 'q.position::int - 1, q.keys_required, q.key_service, q.status'

/**
 * Whether the caller of the query `q` has access to every resource of the kind: because of their
 * role or, if the action is `view`, because the workspace has resources of the kind and none of
 * them is private.
 */
export const hasFullAccess = `q.grants = ${grant.registered}
    or q.grants <> 0 and q.is_view
    and not exists (select from resources
      where workspace_id = q.workspace_id and kind_id = q.kind_id and visibility = 'private'
      offset 0)
    and exists (select from resources
      where workspace_id = q.workspace_id and kind_id = q.kind_id offset 0)`

/** SQL expressions for the values of a query. */
type QueryValues = {
  workspace: string
  user: string
  kind: string
  /** The first ID of the page. */
  first: string
  limit: string
  /** The sufficient grants as bits. */
  grants: string
}

/**
 * Returns SQL for a page of the IDs of resources on which the user has one of the grants directly,
 * not by inheritance. Each branch has its own limit and reads an index in order (the last branch
 * does so for each group of the user), so a page takes the same time for a user with 100,000 shares
 * as for one with 100. The planner merges ordered branches of `union all` without sorting them.
 */
export const directPage = ({ workspace, user, kind, first, limit, grants }: QueryValues) => {
  const ofKind = `workspace_id = ${workspace} and kind_id = ${kind} and resource_id >= ${first}`
  const isSufficientShare = `(${grants} & ${grant.view} <> 0 or permission = 'edit')`
  const page = `order by resource_id limit ${limit}`
  return `
    select distinct resource_id from (
      (select resource_id from resources
        where ${grants} & ${grant.registered} <> 0 and ${ofKind} ${page})
      union all
      (select resource_id from resources
        where ${grants} & ${grant.owner} <> 0 and owner_id = ${user} and ${ofKind} ${page})
      union all
      (select resource_id from resources
        where ${grants} & ${grant.workspace} <> 0 and visibility = 'workspace' and ${ofKind} ${page})
      union all
      (select resource_id from shares
        where ${grants} & ${grant.edit} <> 0 and ${isSufficientShare}
          and user_id = ${user} and ${ofKind} and ${isLive('shares')} ${page})
      union all
      (select s.resource_id from group_members g cross join lateral (
          select resource_id from shares
          where ${isSufficientShare}
            and group_id = g.group_id and ${ofKind} and ${isLive('shares')} ${page}
        ) s
        where ${grants} & ${grant.edit} <> 0
          and g.user_id = ${user} and g.workspace_id = ${workspace})
    ) granted ${page}`
}

/**
 * Whether the user of the query `q` may have one of the grants on a parent, of any service.
 * `offset 0` prevents the planner from hashing the whole table instead of looking up each user.
 */
const mayHaveFolders = `
    exists (select from resources where is_parent and workspace_id = q.workspace_id offset 0)
    and (
      q.grants & ${grant.owner} <> 0 and exists (
        select from resources
        where is_parent and owner_id = q.user_id and workspace_id = q.workspace_id offset 0)
      or q.grants & ${grant.workspace} <> 0 and exists (
        select from resources
        where is_parent and visibility = 'workspace' and workspace_id = q.workspace_id offset 0)
      or q.grants & ${grant.edit} <> 0 and exists (
        select from shares
        where on_parent and user_id = q.user_id and workspace_id = q.workspace_id
          and ${isLive('shares')} offset 0)
      or q.grants & ${grant.edit} <> 0 and exists (
        select from group_members g join shares s using (group_id, workspace_id)
        where s.on_parent and g.user_id = q.user_id and g.workspace_id = q.workspace_id
          and ${isLive('s')} offset 0)
    )`

/**
 * Lists resources for several queries. The parameters are those of `queries`; $14 is the maximum
 * number of groups.
 *
 * Returns a row for each query: its index, from 0; the current status of its caller (whether keys
 * are required, the service of the key, the bits of the status); whether the user may have a grant
 * on a parent; the IDs, from the first ID of the query on, up to its limit, ascending and joined by
 * `idSeparator`; and `hasFullAccess`. The list is empty if the caller is rejected.
 *
 * The IDs are null if the user may have a grant on a parent. In that case, use
 * `accessibleWithFoldersSql`, which is slower even for users without folders. The IDs are also null
 * if the user has more groups than the maximum.
 */
export const accessibleSql = `
with ${keysCte}
select ${callerColumns},
  may_have_folders,
  case when not may_have_folders and not exists (
      select from group_members
      where user_id = q.user_id and workspace_id = q.workspace_id offset $14::int
    ) then coalesce((select string_agg(resource_id::text, '${idSeparator}') from (${directPage({
      workspace: 'q.workspace_id',
      user: 'q.user_id',
      kind: 'q.kind_id',
      first: 'q.first_id',
      limit: 'q.max_ids',
      grants: 'q.grants',
    })}
    ) page), '') end,
  ${hasFullAccess}
from (
  select q.*, ${mayHaveFolders} as may_have_folders
  from ${queries} q
  offset 0
) q`
