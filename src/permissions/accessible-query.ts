import { grant } from './access.ts'
import { idSeparator } from './accessible-page.ts'
import { isLive } from './grants-query.ts'

/** The SQL expressions with the values of a query. */
type QueryValues = {
  workspace: string
  user: string
  kind: string
  /** The first id of the page. */
  first: string
  limit: string
  /** The sufficient grants as bits. */
  grants: string
}

/**
 * A page of the ids of resources on which the user has one of the grants by the resource itself. Each
 * branch has its own limit and reads an index in order, so a page takes the same time for a user with
 * 100,000 shares as for one with 100. The planner merges sorted branches of `union all` without a sort.
 */
const directPage = ({ workspace, user, kind, first, limit, grants }: QueryValues) => {
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

/** The parents on which the user has one of the grants. */
const grantedFolders = `
    select id from resources
      where $7::int & ${grant.owner} <> 0
        and is_parent and owner_id = $2 and workspace_id = $1
        and kind_id = any((select ids from service)::int[])
    union all
    select id from resources
      where $7::int & ${grant.workspace} <> 0
        and is_parent and visibility = 'workspace' and workspace_id = $1
        and kind_id = any((select ids from service)::int[])
    union all
    select r.id from shares s join resources r using (kind_id, resource_id)
      where $7 & ${grant.edit} <> 0 and ($7 & ${grant.view} <> 0 or s.permission = 'edit')
        and s.on_parent and s.user_id = $2 and s.workspace_id = $1 and ${isLive('s')}
        and s.kind_id = any((select ids from service)::int[])
    union all
    select r.id from group_members g
      join shares s on s.group_id = g.group_id and s.workspace_id = $1 and s.on_parent
      join resources r using (kind_id, resource_id)
      where $7 & ${grant.edit} <> 0 and ($7 & ${grant.view} <> 0 or s.permission = 'edit')
        and g.user_id = $2 and g.workspace_id = $1 and ${isLive('s')}
        and s.kind_id = any((select ids from service)::int[])`

/**
 * Whether the user `q` may have one of the grants on a parent, of any service. `offset 0` prevents the
 * planner from hashing the whole table for several users, which a plan made for few rows would do.
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
 * Lists resources for several queries. $1 and $2 are the kinds (service, type); $3 to $9 the queries
 * (workspace, user, kind, first id, limit, sufficient grants as bits, whether to compute the last
 * column); $10 is the maximum number of groups. Queries refer to kinds by their index, from 1.
 *
 * Returns a row for each query: its index, from 0; whether the user may have a grant on a parent; up to
 * `limit` ids from the first one on, ascending, joined by `idSeparator`; and whether the kind has resources in
 * the workspace and none of them is private.
 *
 * The ids are null if the user may have a grant on a parent: then use `accessibleWithFoldersSql`, which
 * takes longer even for users without folders. They are also null if the user has too many groups.
 */
export const accessibleSql = `
select
  place::int - 1,
  may_have_folders,
  case when not may_have_folders and not exists (
      select from group_members
      where user_id = q.user_id and workspace_id = q.workspace_id offset $10::int
    ) then coalesce((select string_agg(resource_id::text, '${idSeparator}') from (${directPage({
      workspace: 'q.workspace_id',
      user: 'q.user_id',
      kind: 'q.kind_id',
      first: 'q.first_id',
      limit: 'q.max_ids',
      grants: 'q.grants',
    })}
    ) page), '') end,
  checks_private
    and not exists (select from resources
      where workspace_id = q.workspace_id and kind_id = q.kind_id and visibility = 'private'
      offset 0)
    and exists (select from resources
      where workspace_id = q.workspace_id and kind_id = q.kind_id offset 0)
from (
  select q.*, ${mayHaveFolders} as may_have_folders,
    (array(
      select k.id
      from unnest($1::text[], $2::text[]) with ordinality kind(service, type, place)
      left join resource_kinds k on k.service_name = kind.service and k.resource_type = kind.type
      order by kind.place
    ))[q.kind] as kind_id
  from unnest($3::uuid[], $4::uuid[], $5::int[], $6::uuid[], $7::int[], $8::int[], $9::bool[])
    with ordinality
    q(workspace_id, user_id, kind, first_id, max_ids, grants, checks_private, place)
  offset 0
) q`

/** A page of at most this many folders starts with their children; of more, with a scan by id. */
const maxProbedFolders = 50

/** How many children of the workspace are scanned for each id of the page, and for each folder. */
const scannedPerId = 8
const scannedPerFolder = 8

/** The fewest ids that are first read from each folder. */
const minSample = 4

/** The ids of some children of `folder`, as an array. */
const childIds = (condition: string, limit: string) => `array(
      select resource_id from resources
      where parent_id = folder.id and kind_id = kind.id and inherits and ${condition}
      order by resource_id limit ${limit}
    )`

/**
 * $1 workspace id, $2 user id, $3 service name, $4 resource type, $5 first id, $6 limit, $7 sufficient
 * grants as bits.
 *
 * Returns up to $6 ids from $5 on, ascending, joined by `idSeparator`, with inherited ones. Inherited ids are
 * those of the children of the granted folders and of the folders below.
 *
 * Reading a few ids of every folder gives a bound for the page; only folders that have more ids below
 * the bound are read further. Many folders are first tried by scanning the children of the workspace by
 * id, which is faster if enough of them are in one of the folders. Neither sorts a whole tree.
 */
export const accessibleWithFoldersSql = `
with recursive kind as materialized (
  select id from resource_kinds where service_name = $3 and resource_type = $4
), service as materialized (
  select array_agg(id) as ids from resource_kinds where service_name = $3
), folder as (
  select id from (${grantedFolders}
  ) granted
  union
  select r.id from folder join resources r on r.parent_id = folder.id and r.is_parent and r.inherits
), size as materialized (
  select count(*) > ${maxProbedFolders} as is_scanned,
    ${scannedPerId} * $6::bigint + ${scannedPerFolder} * count(*) as scanned,
    least($6::bigint, greatest(${minSample}, 2 * $6::bigint / greatest(count(*), 1))) as sample
  from folder
), scanned as materialized (
  select resource_id, parent_id from resources
  where (select is_scanned from size) and parent_id is not null and inherits
    and workspace_id = $1 and kind_id = (select id from kind) and resource_id >= $5
  order by resource_id limit (select scanned from size)
), matched as materialized (
  -- "is true" makes the planner look up each row in a hash table instead of joining.
  select resource_id from scanned
  where (parent_id in (select id from folder)) is true
  order by resource_id limit $6
), probed as materialized (
  -- The first id that the scan did not reach; null if the scan was sufficient.
  select case
    when not is_scanned then $5
    when (select count(*) from matched) < $6
      and (select count(*) from scanned) = size.scanned
      then (select resource_id from scanned order by resource_id desc limit 1)
  end as first from size
), sampled as materialized (
  select folder.id,
    ${childIds('resource_id >= (select first from probed)', '(select sample from size)')} as ids
  from folder, kind where (select first from probed) is not null
), direct as materialized (
  select resource_id from kind cross join lateral (${directPage({
    workspace: '$1',
    user: '$2',
    kind: 'kind.id',
    first: '$5',
    limit: '$6',
    grants: '$7::int',
  })}
  ) by_branch
), known as materialized (
  select resource_id from direct
  union
  select resource_id from matched
  union
  select unnest(ids) from sampled
  order by resource_id limit $6
), bound as materialized (
  select case when count(*) < $6 then 'ffffffff-ffff-ffff-ffff-ffffffffffff'
    else (select resource_id from known order by resource_id desc limit 1) end as id
  from known
)
select
  coalesce((select string_agg(resource_id::text, '${idSeparator}') from (
    select resource_id from (
      select resource_id from known
      union
      select unnest(${childIds('resource_id > last and resource_id <= bound.id', '$6')})
      from (
        select id, ids[(select sample from size)] as last from sampled
      ) folder, bound, kind
      where last < bound.id
    ) reached
    order by resource_id limit $6
  ) page), '')
from kind`
