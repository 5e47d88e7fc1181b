import { isInLiveTree, isLiveRoot } from '../../../database/deleted-rows.ts'
import type { ListValues } from '../grants/grant-kind.ts'
import { partsOf } from '../grants/grant-kinds.ts'
import { toSql } from '../statement.ts'
import type { SubjectKind } from '../subjects/subject-kind.ts'
import { ofEachKind } from '../subjects/subject-kinds.ts'
import { checkedCtes } from './checked-children.ts'
import {
  type Certainty,
  callerColumns,
  directPage,
  hasFullAccess,
  idSeparator,
  isUncertainList,
  listedPermission,
  listQueries,
} from './list.ts'
import { keysCtes } from './list-caller.ts'

/** The values of the query: the statement processes only one. */
const serviceSql = '($2::text[])[1]'
const typeSql = '($3::text[])[1]'
const first = '($9::uuid[])[1]'
const limit = '($10::int[])[1]'
const grants = '(select grants from query)'

/** The user of a coverage, and its workspace, are in the query. */
function valuesOf({ coverage }: SubjectKind): Omit<ListValues, 'permission'> {
  return {
    workspace: coverage ? '(select workspace_id from query)' : '($6::uuid[])[1]',
    user: coverage ? '(select user_id from query)' : '($5::uuid[])[1]',
    kind: 'kind.id',
    first,
    limit,
    grants,
    action: '($11::text[])[1]',
  }
}

/** The resources `r` of the workspace that the coverage of the query lists. */
const listedResources = `from resources r where r.id = any((select listed from query)::uuid[])
      and r.workspace_id = (select workspace_id from query)
      and ${isInLiveTree('r.kind_id', 'r.resource_id')}`

/** Returns SQL for a page of the resources of the kind that the coverage of the query lists. */
const listedPage = `select r.resource_id ${listedResources}
      and r.kind_id = kind.id and r.resource_id >= ${first} order by r.resource_id limit ${limit}`

const listedFolders = `
    select r.id ${listedResources} and r.is_parent
      and r.kind_id = any((select ids from service)::int[])`

/** Returns SQL for the folders on which the user has one of the grants, and those that a coverage lists. */
function grantedFolders(values: ListValues, { coverage }: SubjectKind): string {
  const branches = partsOf('folders').map(
    ({ part: { bits, from } }) => `
    select r.id from ${from(values)}
      and ${grants} & ${bits} <> 0 and r.kind_id = any((select ids from service)::int[])
      and ${isInLiveTree('r.kind_id', 'r.resource_id')}`,
  )
  return [...branches, ...(coverage ? [listedFolders] : [])].join('\n    union all')
}

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
        and ${isInLiveTree('kind_id', 'resource_id')}
      order by resource_id limit ${limit}
    )`

/**
 * Lists resources for one query. Takes the parameters of `listSql` and, as $15 and $16, a ListBudget:
 * the maximum number of folders and of checked children. Returns the row of `listSql` and the first
 * ID that was not checked, null unless the list ends early.
 *
 * The list includes resources that inherit a grant: the children of the granted folders and of all
 * folders below them. With a coverage of some resources, it contains these and what inherits from them,
 * whoever may see it.
 *
 * The statement reads a sample of IDs from every folder, which gives an upper bound for the page,
 * and then reads on only in folders that may have more IDs below the bound. If there are many
 * folders, it first scans the children in the workspace in the order of their IDs, and reads
 * samples only if the scan does not fill the page. Neither method sorts a whole tree.
 *
 * An example with two folders, a page of three IDs and samples of two (real ones are larger):
 *
 * | Child | Folder | `sampled` | `known` | Read after the sample | Page |
 * | --- | --- | --- | --- | --- | --- |
 * | 01 | A | yes | yes | | yes |
 * | 02 | A | yes | yes | | yes |
 * | 03 | A | | | yes: A may have more up to 05 | yes |
 * | 04 | A | | | yes | |
 * | 05 | B | yes | yes: the third, so `bound` is 05 | | |
 * | 06 | A | | | no: after 05 | |
 * | 07 | B | yes | | no: B has no more up to 05 | |
 * | 08 | B | | | no | |
 *
 * If there are more folders than the budget, which it finds out without reading the others, it
 * checks the children in the workspace instead (`checkedCtes`).
 * See docs/decisions/lists.md#lists-of-users-who-can-reach-many-folders.
 */
function createListWithFoldersSql(certainty: Certainty, subjectKind: SubjectKind): string {
  const { coverage } = subjectKind
  const values = valuesOf(subjectKind)
  const { workspace } = values
  const listed = { ...values, permission: listedPermission[certainty] }
  const ofFolders = { ...listed, kind: '(select id from kind)' }
  const ctes = {
    ...keysCtes,
    query: `select * from ${listQueries(subjectKind)} q`,
    kind: `
  select id from resource_kinds where service_name = ${serviceSql} and resource_type = ${typeSql}`,
    service: `select array_agg(id) as ids from resource_kinds where service_name = ${serviceSql}`,
    reachable: `
  select id from (${grantedFolders(ofFolders, subjectKind)}
  ) granted
  union
  -- "lateral" and "offset 0" make the planner read the children of each folder by index. A join would
  -- read the folders of all workspaces at each level.
  select child.id from reachable cross join lateral (
    select id from resources where parent_id = reachable.id and is_parent and inherits
      and ${isLiveRoot('id')} offset 0
  ) child`,
    reached: `
  -- The limit ends the recursion.
  select id from reachable limit $15::int + 1`,
    size: `
  select count(*) > $15::int as is_beyond,
    count(*) between ${maxProbedFolders + 1} and $15::int as is_scanned,
    ${scannedPerId} * ${limit}::bigint + ${scannedPerFolder} * count(*) as scanned,
    least(${limit}::bigint, greatest(${minSample}, 2 * ${limit}::bigint / greatest(count(*), 1))) as sample
  from reached`,
    folder: `select id from reached where not (select is_beyond from size)`,
    scanned: `
  select resource_id, parent_id from resources
  where (select is_scanned from size) and parent_id is not null and inherits
    and workspace_id = ${workspace} and kind_id = (select id from kind) and resource_id >= ${first}
    and ${isInLiveTree('kind_id', 'resource_id')}
  order by resource_id limit (select scanned from size)`,
    matched: `
  -- "is true" makes the planner look up each row in a hash table instead of joining.
  select resource_id from scanned
  where (parent_id in (select id from folder)) is true
  order by resource_id limit ${limit}`,
    probed: `
  -- The first id that the scan did not reach; null if the scan was sufficient.
  select case
    when not is_scanned then ${first}
    when (select count(*) from matched) < ${limit}
      and (select count(*) from scanned) = size.scanned
      then (select resource_id from scanned order by resource_id desc limit 1)
  end as first from size`,
    sampled: `
  select folder.id,
    ${childIds('resource_id >= (select first from probed)', '(select sample from size)')} as ids
  from folder, kind where (select first from probed) is not null`,
    direct: `
  select resource_id from kind cross join lateral (${directPage(listed, coverage ? [listedPage] : [])}
  ) by_branch`,
    ...checkedCtes({
      values,
      certainty,
      coverage,
      isUsed: '(select is_beyond from size)',
      maxChecked: '$16::int',
    }),
    known: `
  select resource_id from (
    select resource_id from direct
    union
    select resource_id from matched
    union
    select unnest(ids) from sampled
    union
    select unnest(ids) from checked
  ) found
  where (select next from unchecked) is null or resource_id < (select next from unchecked)
  order by resource_id limit ${limit}`,
    bound: `
  select case when count(*) < ${limit} then 'ffffffff-ffff-ffff-ffff-ffffffffffff'
    else (select resource_id from known order by resource_id desc limit 1) end as id
  from known`,
  }
  const select = `select ${callerColumns}, true,
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
  ${hasFullAccess(subjectKind)},
  ${isUncertainList(subjectKind)},
  case when (select count(*) from known) < ${limit} then (select next from unchecked) end
from query q`
  return toSql({ ctes: { ...subjectKind.tables('$5::uuid[]'), ...ctes }, select })
}

/** The statements for each Certainty. */
export const listWithFoldersSql = {
  certain: ofEachKind((_, kind) => createListWithFoldersSql('certain', kind)),
  candidates: ofEachKind((_, kind) => createListWithFoldersSql('candidates', kind)),
}
