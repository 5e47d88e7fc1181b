import type { Role } from '../../core/roles.ts'
import { grant } from '../access.ts'
import { chainCte, isLive, shareBits } from '../grants-query.ts'

/** The kind of an action, which determines the grants that can allow it. */
export type ActionKind = 'view' | 'edit' | 'manage' | 'registered'

/** Selects the workspace members with a role, with the grants `bits`, if the condition is true. */
function membersOf(role: Role, bits: number, condition = 'true'): string {
  return `(select user_id, ${bits} as bits from members
      where ${condition} and workspace_id = (select workspace_id from resource_workspace)
        and role = '${role}' and user_id > $4
      order by user_id limit $5)`
}

const isVisible = `exists (select from chain where visibility = 'workspace')`
const isSufficientShare = `${isLive('s')} and ($6 = 'view' or s.permission = 'edit')`

/**
 * $1 service name, $2 resource type, $3 resource id, $4 user id, $5 limit, $6 ActionKind, $7
 * action.
 *
 * Returns up to $5 users with an id after $4, ordered by id. They include every user in that range
 * who may perform the action. The columns are id, `external_id`, e-mail address, name, whether the
 * user is active, the role in the workspace, and grants as bits, which are sufficient to decide
 * built-in actions. Every branch follows an index and limits its users, not its rows: a user with
 * several shares or groups counts once.
 */
export const candidateSubjectsSql = `
with recursive ${chainCte(`
    from resource_kinds k join resources r on r.kind_id = k.id
    where k.service_name = $1 and k.resource_type = $2 and r.resource_id = $3`)},
resource_workspace as materialized (
  select workspace_id from chain where depth = 1
)
select u.id, u.external_id, u.email, u.name, u.is_active, m.role, candidates.bits | ${grant.registered}
from (
  select user_id, bit_or(bits) as bits from (
    ${membersOf('owner', 0)}
    union all
    ${membersOf('admin', 0)}
    union all
    (select owner_id, ${grant.owner} from chain where owner_id > $4
      group by owner_id order by owner_id limit $5)
    union all
    (select m.user_id, ${grant.workspace} from members m
      where $6 = 'view' and ${isVisible}
        and m.workspace_id = (select workspace_id from resource_workspace) and m.user_id > $4
      order by m.user_id limit $5)
    union all
    ${membersOf('editor', grant.workspace, `$6 = 'edit' and ${isVisible}`)}
    union all
    (select rm.user_id, 0 from custom_roles role
      join custom_role_actions ra on ra.role_id = role.id
        and ra.service_action_id = (
          select id from service_actions where service_name = $1 and name = $7
        )
      cross join lateral (
        select user_id from custom_role_members
        where role_id = role.id and user_id > $4 order by user_id limit $5
      ) rm
      where $6 = 'registered' and role.workspace_id = (select workspace_id from resource_workspace)
      group by rm.user_id order by rm.user_id limit $5)
    union all
    (select s.user_id, bit_or(s.bits) from chain cross join lateral (
        select s.user_id, ${shareBits} as bits from shares s
        where s.kind_id = chain.kind_id and s.resource_id = chain.resource_id
          and s.group_id is null and s.user_id > $4 and ${isSufficientShare}
        order by s.user_id limit $5
      ) s
      where $6 in ('view', 'edit')
      group by s.user_id order by s.user_id limit $5)
    union all
    (select g.user_id, bit_or(${shareBits}) from chain
      join shares s on s.kind_id = chain.kind_id and s.resource_id = chain.resource_id
        and s.group_id is not null and ${isSufficientShare}
      cross join lateral (
        select user_id from group_members
        where group_id = s.group_id and user_id > $4 order by user_id limit $5
      ) g
      where $6 in ('view', 'edit')
      group by g.user_id order by g.user_id limit $5)
  ) branches
  group by user_id order by user_id limit $5
) candidates
join users u on u.id = candidates.user_id
left join members m
  on m.user_id = u.id and m.workspace_id = (select workspace_id from resource_workspace)
order by u.id`

/**
 * $1 user id, $2 first workspace id, $3 workspace id or null for all. Returns the ids of up to 100
 * workspaces of which the user is a member, ordered by id.
 */
export const membershipsSql = `
select workspace_id from members
where user_id = $1 and workspace_id >= $2 and ($3::uuid is null or workspace_id = $3)
order by workspace_id limit 100`

/** $1 service name, $2 resource type, $3 array of resource ids. Returns id and `external_id`. */
export const externalIdsSql = `
select r.resource_id, r.external_id
from resource_kinds k join resources r on r.kind_id = k.id
where k.service_name = $1 and k.resource_type = $2 and r.resource_id = any($3::uuid[])
  and r.external_id is not null`

/**
 * $1 service name, $2 built-in actions, $3 name, $4 limit. Returns the actions after $3, by name.
 */
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
