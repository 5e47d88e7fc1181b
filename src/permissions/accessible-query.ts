import { grant } from './access.ts'
import { isLive } from './grants-query.ts'

/** Ids of resources on which the user has one of the grants by the resource itself. */
const direct = `
    (select resource_id from resources
      where $7::int & ${grant.registered} <> 0
        and workspace_id = $1 and kind_id = kind.id and resource_id >= $5
      order by resource_id limit $6)
    union
    (select resource_id from resources
      where $7 & ${grant.owner} <> 0
        and owner_id = $2 and workspace_id = $1 and kind_id = kind.id and resource_id >= $5
      order by resource_id limit $6)
    union
    (select resource_id from resources
      where $7 & ${grant.workspace} <> 0 and visibility = 'workspace'
        and workspace_id = $1 and kind_id = kind.id and resource_id >= $5
      order by resource_id limit $6)
    union
    (select resource_id from shares
      where $7 & ${grant.edit} <> 0 and ($7 & ${grant.view} <> 0 or permission = 'edit')
        and user_id = $2 and workspace_id = $1 and kind_id = kind.id and resource_id >= $5
        and ${isLive('shares')}
      order by resource_id limit $6)
    union
    (select s.resource_id from group_members g cross join lateral (
        select resource_id from shares
        where ($7 & ${grant.view} <> 0 or permission = 'edit')
          and group_id = g.group_id and workspace_id = $1
          and kind_id = kind.id and resource_id >= $5 and ${isLive('shares')}
        order by resource_id limit $6
      ) s
      where $7 & ${grant.edit} <> 0 and g.user_id = $2 and g.workspace_id = $1)`

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

/** Whether the user may have one of the grants on a parent, of any service. */
const mayHaveFolders = `
      $7::int & ${grant.owner} <> 0 and exists (
        select from resources where is_parent and owner_id = $2 and workspace_id = $1)
      or $7 & ${grant.workspace} <> 0 and exists (
        select from resources where is_parent and visibility = 'workspace' and workspace_id = $1)
      or $7 & ${grant.edit} <> 0 and exists (
        select from shares
        where on_parent and user_id = $2 and workspace_id = $1 and ${isLive('shares')})
      or $7 & ${grant.edit} <> 0 and exists (
        select from group_members g join shares s using (group_id, workspace_id)
        where s.on_parent and g.user_id = $2 and g.workspace_id = $1 and ${isLive('s')})`

/** Whether the kind has resources in the workspace and none of them is private, if $8 is true. */
const isWithoutPrivate = `
  $8::bool
    and exists (select from resources where workspace_id = $1 and kind_id = kind.id)
    and not exists (select from resources
      where workspace_id = $1 and kind_id = kind.id and visibility = 'private')`

/**
 * $1 workspace id, $2 user id, $3 service name, $4 resource type, $5 first id, $6 limit, $7 sufficient
 * grants as bits, $8 whether to compute the second column.
 *
 * Returns up to $6 ids from $5 on, ascending, joined by commas, of resources to which one of the grants
 * applies; and whether no resource of the kind is private. Each branch has its own limit and follows
 * an index, so a page takes the same time for a user with 100,000 shares as for one with 100.
 *
 * The ids are null if the user may have a grant on a parent: then use `accessibleWithFoldersSql`, which
 * takes longer even for users without folders.
 */
export const accessibleSql = `
select
  case when ${mayHaveFolders}
    then null else array_to_string(array(
    select resource_id from (${direct}
    ) reached
    order by resource_id limit $6
  ), ',') end,
  ${isWithoutPrivate}
from resource_kinds kind where service_name = $3 and resource_type = $4`

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
 * Returns the ids for the parameters $1 to $7 of `accessibleSql`, with inherited ones. Inherited ids are
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
  select resource_id from kind cross join lateral (${direct}
    order by resource_id limit $6
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
  array_to_string(array(
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
  ), ',')
from kind`
