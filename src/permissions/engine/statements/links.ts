import { isInLiveWorkspace } from '../../../database/deleted-rows.ts'
import { barePermission, isLive, shareBits } from '../grants/live-share.ts'
import { liveLink } from '../subjects/link.ts'

/**
 * $1 ID of a link, $2 action, null if it is built in. Returns the service and the workspace of its
 * resource, and the grants of the link as bits, whether or not it has a condition.
 */
export const linkedResourceSql = `
select k.service_name, s.workspace_id, ${shareBits('$2::text', barePermission)}
from resource_links s join resource_kinds k on k.id = s.kind_id
where s.id = $1 and ${isLive('s')} and ${isInLiveWorkspace('s.workspace_id')}`

/**
 * $1 ID of a link, $2 service name, $3 resource type, $4 first ID, $5 limit. Returns the IDs of the
 * linked resource and of those that inherit from it, in order.
 */
export const linkedResourcesSql = `
with recursive linked as materialized (
  select r.id, r.kind_id, r.resource_id, r.is_parent
  from resource_links l join resources r using (kind_id, resource_id)
  where l.id = $1 and ${liveLink}
), kind as materialized (
  select id from resource_kinds where service_name = $2 and resource_type = $3
), folder as (
  select id from linked where is_parent
  union
  select child.id from folder cross join lateral (
    select id from resources where parent_id = folder.id and is_parent and inherits offset 0
  ) child
)
select resource_id from (
  select linked.resource_id from linked join kind on kind.id = linked.kind_id
  where linked.resource_id >= $4
  union
  select below.resource_id from kind cross join folder cross join lateral (
    select resource_id from resources
    where parent_id = folder.id and kind_id = kind.id and inherits and resource_id >= $4
    order by resource_id limit $5
  ) below
) page order by resource_id limit $5`
