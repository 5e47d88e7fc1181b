import { isLive, maxChainLength } from '../grants-query.ts'

/** How an action is decided, as far as it narrows a search. */
export type ActionKind = 'view' | 'edit' | 'manage' | 'registered'

/**
 * $1 service name, $2 resource type, $3 resource id, $4 user id, $5 limit, $6 ActionKind, $7 action.
 *
 * Returns up to $5 active users after $4, by id, among whom is every user who may perform the action:
 * id, `external_id`, e-mail address, name. Whether they may is decided by the facts of each. Every
 * branch follows an index and has its own limit.
 */
export const candidateSubjectsSql = `
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
), place as materialized (
  select workspace_id from chain where depth = 1
)
select u.id, u.external_id, u.email, u.name from (
  select user_id from (
    (select m.user_id from members m
      where m.workspace_id = (select workspace_id from place) and m.user_id > $4
        and m.role in ('owner', 'admin')
      order by m.user_id limit $5)
    union
    (select owner_id from chain where owner_id > $4 order by owner_id limit $5)
    union
    (select m.user_id from members m
      where $6 <> 'manage' and exists (select from chain where visibility = 'workspace')
        and m.workspace_id = (select workspace_id from place) and m.user_id > $4
        and ($6 <> 'edit' or m.role = 'editor')
        and ($6 <> 'registered' or exists (
          select from service_actions sa
          join custom_role_actions ra on ra.service_action_id = sa.id
          join custom_role_members rm on rm.role_id = ra.role_id
          where sa.service_name = $1 and sa.name = $7
            and rm.user_id = m.user_id and rm.workspace_id = m.workspace_id
        ))
      order by m.user_id limit $5)
    union
    (select s.user_id from chain join shares s using (kind_id, resource_id)
      where $6 <> 'manage' and s.user_id > $4 and ${isLive('s')}
      order by s.user_id limit $5)
    union
    (select g.user_id from chain join shares s using (kind_id, resource_id)
      join group_members g on g.group_id = s.group_id
      where $6 <> 'manage' and g.user_id > $4 and ${isLive('s')}
      order by g.user_id limit $5)
  ) branches
  order by user_id limit $5
) candidates
join users u on u.id = candidates.user_id
order by u.id`

/**
 * $1 user id, $2 first workspace id, $3 workspace id or null for all, $4 service name, $5 action.
 *
 * Returns up to 100 memberships by workspace: workspace id, role, whether the service registered the
 * action, whether a custom role grants it.
 */
export const membershipsSql = `
select m.workspace_id, m.role, sa.id is not null, exists (
    select from custom_role_actions ra
    join custom_role_members rm on rm.role_id = ra.role_id
    where ra.service_action_id = sa.id
      and rm.user_id = m.user_id and rm.workspace_id = m.workspace_id
  )
from members m
left join service_actions sa on sa.service_name = $4 and sa.name = $5
where m.user_id = $1 and m.workspace_id >= $2 and ($3::uuid is null or m.workspace_id = $3)
order by m.workspace_id limit 100`

/** $1 service name, $2 resource type, $3 array of resource ids. Returns id and `external_id`. */
export const externalIdsSql = `
select r.resource_id, r.external_id
from resource_kinds k join resources r on r.kind_id = k.id
where k.service_name = $1 and k.resource_type = $2 and r.resource_id = any($3::uuid[])
  and r.external_id is not null`

/** $1 service name, $2 array of built-in actions, $3 name, $4 limit. Returns the actions after $3. */
export const candidateActionsSql = `
select name from (
  select unnest($2::text[]) as name
  union
  select name from service_actions where service_name = $1
) actions
where name collate "C" > $3
order by name collate "C" limit $4`

/** $1 service name, $2 name. Returns a row if the service registered the action. */
export const registeredActionSql =
  'select 1 from service_actions where service_name = $1 and name = $2'
