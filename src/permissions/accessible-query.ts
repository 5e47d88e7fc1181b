import { grant } from './access.ts'

/**
 * $1 workspace id, $2 user id, $3 service name, $4 resource type, $5 first id, $6 limit, $7 sufficient
 * grants as bits, $8 whether to compute the second column.
 *
 * Returns up to $6 ids from $5 on, ascending, joined by commas, of resources to which one of the grants
 * applies; and whether no resource of the kind is private. Each branch has its own limit and follows
 * an index, so a page takes the same time for a user with 100,000 shares as for one with 100.
 */
export const accessibleSql = `
select
  array_to_string(array(
    select resource_id from (
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
        order by resource_id limit $6)
      union
      (select s.resource_id from group_members g cross join lateral (
          select resource_id from shares
          where ($7 & ${grant.view} <> 0 or permission = 'edit')
            and group_id = g.group_id and workspace_id = $1
            and kind_id = kind.id and resource_id >= $5
          order by resource_id limit $6
        ) s
        where $7 & ${grant.edit} <> 0 and g.user_id = $2 and g.workspace_id = $1)
    ) reached
    order by resource_id limit $6
  ), ','),
  $8::bool
    and exists (select from resources where workspace_id = $1 and kind_id = kind.id)
    and not exists (select from resources
      where workspace_id = $1 and kind_id = kind.id and visibility = 'private')
from resource_kinds kind where service_name = $3 and resource_type = $4`
