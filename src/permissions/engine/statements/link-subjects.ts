import { isInLiveWorkspace } from '../../../database/deleted-rows.ts'
import { barePermission, isLive, shareBits } from '../grants/live-share.ts'
import type { Ctes } from './statement.ts'

/** The link `l` has not expired, and its workspace has not been deleted. */
const liveLink = `${isLive('l')} and ${isInLiveWorkspace('l.workspace_id')}`

/**
 * Returns what a statement reads instead of tables to ask about links instead of users. `ids` is SQL
 * for an array with the IDs of links, which the statement accepts in place of user IDs.
 *
 * A link counts as an active user who is a viewer of its workspace, with whom only its resource is
 * shared. What a viewer may do without a share does not count (`keepLinkGrants`).
 */
export function linkTables(ids: string): Ctes {
  return {
    subject_link: `
  select id, name, kind_id, resource_id, workspace_id, permission, expires_at, condition, params
  from resource_links l where id = any(${ids}) and ${liveLink}`,
    users: `
  select id, null::text as email, null::text as external_id,
    'Anyone with the link' || coalesce(' ' || name, '') as name, true as is_active, false as is_admin,
    null::uuid as workspace_id
  from subject_link`,
    live_members: "select id as user_id, workspace_id, 'viewer' as role from subject_link",
    group_members: `
  select id as group_id, id as user_id, workspace_id, true as is_direct from subject_link where false`,
    shares: `
  select id, kind_id, resource_id, workspace_id, id as user_id, null::uuid as group_id, permission,
    expires_at, condition, params
  from subject_link`,
  }
}

/** $1 hash of a token. Returns the ID of the link. */
export const linkByTokenSql = `
select id from resource_links l where token_hash = $1 and ${liveLink}`

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
