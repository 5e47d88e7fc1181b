import { isLive, maxChainLength } from '../grants-query.ts'

/**
 * $1 service name, $2 resource type, $3 resource id, $4 user id, $5 action.
 *
 * Returns what a user is granted on a resource and its ancestors, whether or not it is sufficient: rule,
 * permission, role, group id, share id, and type and id of the ancestor.
 */
export const reasonsSql = `
with recursive chain as (
  select r.kind_id, r.resource_id, r.workspace_id, r.owner_id, r.visibility, r.parent_id, r.inherits,
    1 as depth
  from resource_kinds k join resources r on r.kind_id = k.id
  where k.service_name = $1 and k.resource_type = $2 and r.resource_id = $3
  union all
  select r.kind_id, r.resource_id, r.workspace_id, r.owner_id, r.visibility, r.parent_id, r.inherits,
    chain.depth + 1
  from chain join resources r on r.id = chain.parent_id
  where chain.inherits and chain.depth < ${maxChainLength}
), given as (
  select 'owner' as rule, null as permission, null as role, null::uuid as group_id,
    null::uuid as share_id, kind_id, resource_id, depth, 1 as place
  from chain where owner_id = $4
  union all
  select 'workspace_visibility', null, null, null, null, kind_id, resource_id, depth, 2
  from chain where visibility = 'workspace'
  union all
  select 'share', s.permission, null, null, s.id, s.kind_id, s.resource_id, depth, 3
  from chain join shares s using (kind_id, resource_id) where s.user_id = $4 and ${isLive('s')}
  union all
  select 'group_share', s.permission, null, s.group_id, s.id, s.kind_id, s.resource_id, depth, 4
  from chain join shares s using (kind_id, resource_id)
  join group_members g on g.group_id = s.group_id and g.user_id = $4
  where ${isLive('s')}
  union all
  select 'custom_role', null, role.name, null, null, kind_id, resource_id, depth, 5
  from chain
  join service_actions sa on sa.service_name = $1 and sa.name = $5
  join custom_role_actions ra on ra.service_action_id = sa.id
  join custom_role_members rm on rm.role_id = ra.role_id
    and rm.user_id = $4 and rm.workspace_id = chain.workspace_id
  join custom_roles role on role.id = rm.role_id
  where depth = 1
)
select rule, permission, role, group_id, share_id,
  case when depth > 1 then k.resource_type end,
  case when depth > 1 then given.resource_id end
from given join resource_kinds k on k.id = given.kind_id
order by depth, place, share_id, role`
