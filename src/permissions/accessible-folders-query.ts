import { grant } from './access.ts'
import { keysCte } from './accessible-caller.ts'
import { idSeparator } from './accessible-page.ts'
import { callerColumns, directPage, hasFullAccess, queries } from './accessible-query.ts'
import { isLive } from './grants-query.ts'

/** The values of the query: the statement processes only one. */
const service = '($2::text[])[1]'
const type = '($3::text[])[1]'
const user = '($5::uuid[])[1]'
const workspace = '($6::uuid[])[1]'
const first = '($9::uuid[])[1]'
const limit = '($10::int[])[1]'
const grants = '(select grants from query)'

/** The parents on which the user has one of the grants. */
const grantedFolders = `
    select id from resources
      where ${grants} & ${grant.owner} <> 0
        and is_parent and owner_id = ${user} and workspace_id = ${workspace}
        and kind_id = any((select ids from service)::int[])
    union all
    select id from resources
      where ${grants} & ${grant.workspace} <> 0
        and is_parent and visibility = 'workspace' and workspace_id = ${workspace}
        and kind_id = any((select ids from service)::int[])
    union all
    select r.id from shares s join resources r using (kind_id, resource_id)
      where ${grants} & ${grant.edit} <> 0 and (${grants} & ${grant.view} <> 0 or s.permission = 'edit')
        and s.on_parent and s.user_id = ${user} and s.workspace_id = ${workspace} and ${isLive('s')}
        and s.kind_id = any((select ids from service)::int[])
    union all
    select r.id from group_members g
      join shares s on s.group_id = g.group_id and s.workspace_id = ${workspace} and s.on_parent
      join resources r using (kind_id, resource_id)
      where ${grants} & ${grant.edit} <> 0 and (${grants} & ${grant.view} <> 0 or s.permission = 'edit')
        and g.user_id = ${user} and g.workspace_id = ${workspace} and ${isLive('s')}
        and s.kind_id = any((select ids from service)::int[])`

/**
 * The maximum number of folders whose children are read folder by folder. With more folders, the
 * statement first scans all children in the workspace in the order of their IDs.
 */
const maxProbedFolders = 50

/** The number of rows to scan for each ID of the page, and for each folder. */
const scannedPerId = 8
const scannedPerFolder = 8

/** The minimum number of IDs in the first sample of each folder, unless the page is shorter. */
const minSample = 4

/** Returns SQL for an array with the IDs of the first children of `folder` that match. */
const childIds = (condition: string, limit: string) => `array(
      select resource_id from resources
      where parent_id = folder.id and kind_id = kind.id and inherits and ${condition}
      order by resource_id limit ${limit}
    )`

/**
 * Lists resources for one query. The parameters and the result are those of `accessibleSql`,
 * without $14.
 *
 * The IDs include those of resources that inherit a grant: the children of the granted folders and
 * of all folders below them.
 *
 * The statement reads a sample of IDs from every folder, which gives an upper bound for the page,
 * and then reads on only in folders that may have more IDs below the bound. If there are many
 * folders, it first scans the children in the workspace in the order of their IDs, and reads
 * samples only if the scan does not fill the page. Neither method sorts a whole tree.
 */
export const accessibleWithFoldersSql = `
with recursive ${keysCte}, query as materialized (
  select * from ${queries} q
), kind as materialized (
  select id from resource_kinds where service_name = ${service} and resource_type = ${type}
), service as materialized (
  select array_agg(id) as ids from resource_kinds where service_name = ${service}
), folder as (
  select id from (${grantedFolders}
  ) granted
  union
  select r.id from folder join resources r on r.parent_id = folder.id and r.is_parent and r.inherits
), size as materialized (
  select count(*) > ${maxProbedFolders} as is_scanned,
    ${scannedPerId} * ${limit}::bigint + ${scannedPerFolder} * count(*) as scanned,
    least(${limit}::bigint, greatest(${minSample}, 2 * ${limit}::bigint / greatest(count(*), 1))) as sample
  from folder
), scanned as materialized (
  select resource_id, parent_id from resources
  where (select is_scanned from size) and parent_id is not null and inherits
    and workspace_id = ${workspace} and kind_id = (select id from kind) and resource_id >= ${first}
  order by resource_id limit (select scanned from size)
), matched as materialized (
  -- "is true" makes the planner look up each row in a hash table instead of joining.
  select resource_id from scanned
  where (parent_id in (select id from folder)) is true
  order by resource_id limit ${limit}
), probed as materialized (
  -- The first id that the scan did not reach; null if the scan was sufficient.
  select case
    when not is_scanned then ${first}
    when (select count(*) from matched) < ${limit}
      and (select count(*) from scanned) = size.scanned
      then (select resource_id from scanned order by resource_id desc limit 1)
  end as first from size
), sampled as materialized (
  select folder.id,
    ${childIds('resource_id >= (select first from probed)', '(select sample from size)')} as ids
  from folder, kind where (select first from probed) is not null
), direct as materialized (
  select resource_id from kind cross join lateral (${directPage({
    workspace,
    user,
    kind: 'kind.id',
    first,
    limit,
    grants,
  })}
  ) by_branch
), known as materialized (
  select resource_id from direct
  union
  select resource_id from matched
  union
  select unnest(ids) from sampled
  order by resource_id limit ${limit}
), bound as materialized (
  select case when count(*) < ${limit} then 'ffffffff-ffff-ffff-ffff-ffffffffffff'
    else (select resource_id from known order by resource_id desc limit 1) end as id
  from known
)
select ${callerColumns}, true,
  coalesce((select string_agg(resource_id::text, '${idSeparator}') from (
    select resource_id from (
      select resource_id from known
      union
      select unnest(${childIds('resource_id > last and resource_id <= bound.id', limit)})
      from (
        select id, ids[(select sample from size)] as last from sampled
      ) folder, bound, kind
      where last < bound.id
    ) reached
    order by resource_id limit ${limit}
  ) page), ''),
  ${hasFullAccess}
from query q`
