import { actionFact, grant } from '../../src/permissions/access.ts'
import { factsSql } from '../../src/permissions/facts-query.ts'

/**
 * The way in which a statement finds the ancestors of a resource, and the groups that contain a
 * user's groups.
 */
export type ResourceStorage = 'none' | 'flag' | 'walk' | 'closure' | 'array'
export type GroupStorage = 'none' | 'closure' | 'array' | 'recursive' | 'members'

const shareBits = `case s.permission when 'edit' then ${grant.edit} else ${grant.view} end`

/** The condition that `s.group_id` is a group that contains the user's groups. */
const inherited: Record<GroupStorage, string> = {
  none: 'false',
  closure: `exists (
    select from group_ancestors c join group_members g on g.group_id = c.group_id
    where c.ancestor_id = s.group_id and g.user_id = q.user_id offset 0)`,
  array: `exists (
    select from group_members g join groups on groups.id = g.group_id
    where g.user_id = q.user_id and g.workspace_id = q.workspace_id
      and s.group_id = any(groups.ancestor_ids) offset 0)`,
  recursive: `exists (
    with recursive above(id) as (
      select g.group_id from group_members g
      where g.user_id = q.user_id and g.workspace_id = q.workspace_id
      union
      select p.parent_id from above join group_parents p on p.child_id = above.id
    )
    select from above where id = s.group_id)`,
  members: `exists (
    select from inherited_members g
    where g.group_id = s.group_id and g.user_id = q.user_id offset 0)`,
}

const directGroups = `
  select g.group_id from group_members g
  where g.user_id = q.user_id and g.workspace_id = q.workspace_id`

/** All groups of the user, for resources that are shared with many groups. */
const effectiveGroups = `${directGroups}
  union all
  select c.ancestor_id from group_members g join group_ancestors c on c.group_id = g.group_id
  where g.user_id = q.user_id and g.workspace_id = q.workspace_id`

/** The grants of the user on the resource `r`, which is the checked resource or an ancestor. */
const grants = (r: string, groups: GroupStorage) => `
  case when ${r}.owner_id = q.user_id then ${grant.owner} else 0 end
  | case when ${r}.visibility = 'workspace' then ${grant.workspace} else 0 end
  | coalesce((
      select ${shareBits} from shares s
      where s.kind_id = ${r}.kind_id and s.resource_id = ${r}.resource_id
        and s.group_id is null and s.user_id = q.user_id
    ), 0)
  | coalesce((
      select case when count(*) <= 4 then bit_or(bits) else (
          select bit_or(${shareBits}) from shares s
          where s.kind_id = ${r}.kind_id and s.resource_id = ${r}.resource_id
            and s.group_id = any(array(${groups === 'none' ? directGroups : effectiveGroups}))
        ) end
      from (
        select case when exists (
              select from group_members g
              where g.group_id = s.group_id and g.user_id = q.user_id offset 0
            )${groups === 'none' ? '' : ` or ${inherited[groups]}`} then ${shareBits} end bits
        from shares s
        where s.kind_id = ${r}.kind_id and s.resource_id = ${r}.resource_id
          and s.group_id is not null
        limit 5
      ) few
    ), 0)`

const columns = 'kind_id, resource_id, owner_id, visibility, parent_id, inherits'

const ancestors: Record<ResourceStorage, string> = {
  none: '',
  flag: '',
  walk: `
    with recursive chain as (
      select ${columns} from resources where id = r.parent_id
      union all
      select p.kind_id, p.resource_id, p.owner_id, p.visibility, p.parent_id, p.inherits
      from chain join resources p on p.id = chain.parent_id and chain.inherits
    )
    select bit_or(grants) from (
      select GRANTS as grants from chain a offset 0
    ) inherited`,
  closure: `
    select bit_or(grants) from (
      select GRANTS as grants
      from resource_ancestors c join resources a on a.id = c.ancestor_id
      where c.kind_id = r.kind_id and c.resource_id = r.resource_id offset 0
    ) inherited`,
  array: `
    select bit_or(grants) from (
      select GRANTS as grants
      from unnest(r.ancestor_ids) ancestor_id join resources a on a.id = ancestor_id offset 0
    ) inherited`,
}

/** The fragment of the statement that reports whether a resource inherits. */
const inheritsFlag = /\| case when r\.parent_id is null or not r\.inherits then 0 else \d+ end/

/**
 * Extends the facts statement for flat resources with one way to store resources and one to store
 * groups.
 */
export function extendFacts(resources: ResourceStorage, groups: GroupStorage): string {
  if (resources === 'flag') return factsSql.flagged.probed
  const today = factsSql.flagged.probed.replace(inheritsFlag, '')
  if (resources === 'none' && groups === 'none') return today
  const start = today.indexOf('case when r.id is null')
  const end = today.indexOf('| case when q.action is null')
  if (start < 0 || end < 0) throw new Error('The facts statement has changed: adapt the bench')
  const above =
    resources === 'none'
      ? ''
      : `| case when r.parent_id is null or not r.inherits then 0 else coalesce((
          ${ancestors[resources].replace('GRANTS', grants('a', groups))}
        ), 0) end`
  const facts = `case when r.id is null then 0 else ${grant.registered} | ${grants('r', groups)} ${above} end
    `
  return today.slice(0, start) + facts + today.slice(end)
}

/**
 * The number of granted folders that determine the bound of a page. The other folders are read up
 * to that bound.
 */
const firstParents = 16

const folders = `
  select id from resources
    where owner_id = $2 and workspace_id = $1 and is_parent and $7::int & ${grant.owner} <> 0
  union
  select id from resources
    where workspace_id = $1 and is_parent and visibility = 'workspace'
      and $7 & ${grant.workspace} <> 0
  union
  select r.id from shares s join resources r using (kind_id, resource_id)
    where s.user_id = $2 and s.workspace_id = $1 and s.on_parent
      and $7 & ${grant.edit} <> 0 and ($7 & ${grant.view} <> 0 or s.permission = 'edit')
  union
  select r.id from effective e
    join shares s on s.group_id = e.group_id and s.workspace_id = $1 and s.on_parent
    join resources r using (kind_id, resource_id)
    where $7 & ${grant.edit} <> 0 and ($7 & ${grant.view} <> 0 or s.permission = 'edit')`

const effective = `
  effective as materialized (
    select group_id from group_members where user_id = $2 and workspace_id = $1
    union
    select c.ancestor_id from group_members g join group_ancestors c using (group_id)
    where g.user_id = $2 and g.workspace_id = $1
  )`

const direct = `
  (select resource_id from resources
    where $7 & ${grant.registered} <> 0 and workspace_id = $1 and kind_id = kind.id and resource_id >= $5
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
    order by resource_id limit $6)
  union
  (select s.resource_id from effective e cross join lateral (
      select resource_id from shares
      where ($7 & ${grant.view} <> 0 or permission = 'edit')
        and group_id = e.group_id and workspace_id = $1
        and kind_id = kind.id and resource_id >= $5
      order by resource_id limit $6
    ) s
    where $7 & ${grant.edit} <> 0)`

const page = (parts: string, before = '') => `
  with ${before.includes('recursive') ? 'recursive ' : ''}${effective}, kind as materialized (
    select id from resource_kinds where service_name = $3 and resource_type = $4
  ), folders as materialized (${folders})
  ${before}
  select array_to_string(array(
    select resource_id from (${parts}) reached order by resource_id limit $6
  ), ',') ids from kind`

/**
 * A page of IDs. Each granted folder is one range of `resource_ancestors`. The first folders and
 * the direct grants yield a full page, and its last ID limits how far all other folders are read.
 */
export const accessibleSql: Record<string, string> = {
  closure: page(`
    with known as materialized (
      select resource_id from (${direct}
        union
        (select c.resource_id from (select id from folders limit ${firstParents}) f
          cross join lateral (
            select resource_id from resource_ancestors
            where ancestor_id = f.id and kind_id = kind.id and resource_id >= $5
            order by resource_id limit $6
          ) c)
      ) first order by resource_id limit $6
    ), bound as materialized (
      select case when count(*) = $6 then (array_agg(resource_id order by resource_id desc))[1]
        else 'ffffffff-ffff-ffff-ffff-ffffffffffff' end last from known
    )
    select resource_id from known
    union
    (select c.resource_id from (select id from folders offset ${firstParents}) f
      cross join lateral (
        select resource_id from resource_ancestors
        where ancestor_id = f.id and kind_id = kind.id
          and resource_id between $5 and (select last from bound)
        order by resource_id limit $6
      ) c)`),
  array: page(`${direct}
    union
    (select resource_id from resources
      where ancestor_ids && array(select id from folders) and kind_id = kind.id
        and resource_id >= $5 order by resource_id limit $6)`),
  'walk down': page(
    `${direct}
    union
    (select resource_id from below join resources r on r.parent_id = below.id and r.inherits
      where r.kind_id = kind.id and r.resource_id >= $5)`,
    `, below(id) as (
      select id from folders
      union
      select r.id from below join resources r on r.parent_id = below.id
        and r.is_parent and r.inherits
    ) /* recursive */`,
  ),
  'scan and test': page(
    `${direct}
    union
    (select resource_id from resources
      where workspace_id = $1 and kind_id = kind.id and resource_id >= $5 and inherits
        and parent_id in (select id from below)
      order by resource_id limit $6)`,
    `, below(id) as (
      select id from folders
      union
      select r.id from below join resources r on r.parent_id = below.id
        and r.is_parent and r.inherits
    ) /* recursive */`,
  ),
}

/** Actions are not compared. The statement only needs the bit to exist. */
export const bits = { ...grant, ...actionFact }
