import { roles } from '../../core/roles.ts'
import { grant } from '../access.ts'
import { actionFacts, keyStatusColumns } from '../facts-query.ts'
import { chainCte, grantsOf, isLive, shareBits } from '../grants-query.ts'

/** The status of a subject, as bits above those of `grant` and `actionFact` (`access.ts`). */
export const subjectBit = { known: 1 << 16, active: 1 << 17, denied: 1 << 18 } as const

/**
 * The position of the bits that encode the role in the resource's workspace. Their value is 0
 * without a role, otherwise the index in `roles` plus 1.
 */
export const roleShift = 20

const roleBits = roles
  .map((role, index) => `when '${role}' then ${(index + 1) << roleShift}`)
  .join(' ')

/**
 * A CTE that finds the users of subjects, with $3 to $7 as in `evaluationSql`. An external id takes
 * precedence over a user id, and a user id over an e-mail address, so that no other user can take
 * over an id that an administrator has assigned.
 */
const subjectCte = `
subject as materialized (
  select s.position, u.id as user_id, s.workspace_id,
    case when u.id is null then 0 else ${subjectBit.known} end
      | case when u.is_active then ${subjectBit.active} else 0 end
      | case when d.token_id is null then 0 else ${subjectBit.denied} end as status
  from (
    select named.*, coalesce(
      (select id from users where users.external_id = named.external_id),
      named.user_id,
      (select id from users where users.email = named.email)
    ) as resolved
    from unnest($3::text[], $4::uuid[], $5::text[], $6::uuid[], $7::uuid[])
      with ordinality named(external_id, user_id, email, token_id, workspace_id, position)
  ) s
  left join users u on u.id = s.resolved
  left join denied_tokens d on d.token_id = s.token_id
)`

/**
 * The checks, with $1, $2 and $8 to $11 as in `evaluationSql`. `q` is the principal and the action;
 * `r` is the resource, null if it is unknown.
 */
const checks = `(
  select
    (array(select user_id from subject order by position))[item.subject] as user_id,
    (array(select status from subject order by position))[item.subject] as status,
    (array(select workspace_id from subject order by position))[item.subject] as token_workspace_id,
    ($1::text[])[item.kind] as service,
    (array(
      select k.id
      from unnest($1::text[], $2::text[]) with ordinality kind(service, type, position)
      left join resource_kinds k
        on k.service_name = kind.service and k.resource_type = kind.type
      order by kind.position
    ))[item.kind] as kind_id,
    item.resource, item.action, item.position
  from unnest($8::int[], $9::int[], $10::uuid[], $11::text[])
    with ordinality item(subject, kind, resource, action, position)
) i
left join resources r on r.kind_id = i.kind_id and r.resource_id = i.resource
  and (i.token_workspace_id is null or r.workspace_id = i.token_workspace_id)
cross join lateral (
  select i.user_id, i.status, i.service, i.action, i.position, r.workspace_id
) q`

/**
 * The facts of a check as bits: the status and the role of the subject, the facts about the action,
 * and `grants`.
 */
const factsOf = (grants: string) => `
  q.status
  | coalesce((
      select case m.role ${roleBits} else 0 end from members m
      where m.user_id = q.user_id and m.workspace_id = q.workspace_id
    ), 0)
  | case when r.id is null then 0 else ${grant.registered} | ${grants} end
  | ${actionFacts}`

/**
 * Returns one row for a batch: whether keys are required, the service of each key, and an array
 * literal with the facts of each check as bits.
 *
 * $1, $2 kinds (service, type); $3 to $7 subjects (external id, user id, e-mail address, token id,
 * workspace of the token); $8 to $11 checks (subject, kind, resource, action), which refer to
 * subjects and kinds by their index, from 1; $12 hashes of service keys. The workspace of a check
 * is that of its resource.
 */
export const evaluationSql = `
with ${subjectCte}
select ${keyStatusColumns('$12')}, (
  select array_agg(${factsOf(grantsOf.walked('probed'))} order by q.position)::text
  from ${checks}
)`

/**
 * The grants of the principal `q` on the resource `r` and on the ancestors that it inherits from,
 * and the custom roles with the action, as a JSON array of GrantRow.
 */
const grantRows = `(
  with recursive ${chainCte('where r.id is not null')}, granted as (
    select 'owner' as rule, ${grant.owner} as bits, null as permission, null as role,
      null::uuid as group_id, null::boolean as is_direct, null::uuid as share_id,
      null::timestamptz as expires_at, chain.*, 1 as rule_order
    from chain where owner_id = q.user_id
    union all
    select 'workspace_visibility', ${grant.workspace}, null, null, null, null, null, null,
      chain.*, 2
    from chain where visibility = 'workspace'
    union all
    select 'share', ${shareBits}, s.permission, null, null, null, s.id, s.expires_at, chain.*, 3
    from chain join shares s on s.kind_id = chain.kind_id and s.resource_id = chain.resource_id
    where s.group_id is null and s.user_id = q.user_id and ${isLive('s')}
    union all
    select 'group_share', ${shareBits}, s.permission, null, s.group_id, g.is_direct, s.id,
      s.expires_at, chain.*, 4
    from chain join shares s on s.kind_id = chain.kind_id and s.resource_id = chain.resource_id
    join group_members g on g.group_id = s.group_id and g.user_id = q.user_id
    where ${isLive('s')}
    union all
    select 'custom_role', 0, null, role.name, null, null, null, null, chain.*, 5
    from chain
    join service_actions sa on sa.service_name = q.service and sa.name = q.action
    join custom_role_actions ra on ra.service_action_id = sa.id
    join custom_role_members rm on rm.role_id = ra.role_id
      and rm.user_id = q.user_id and rm.workspace_id = q.workspace_id
    join custom_roles role on role.id = rm.role_id
    where depth = 1
  )
  select coalesce(json_agg(json_build_object(
    'rule', rule, 'bits', bits, 'permission', permission, 'role', role, 'group_id', group_id,
    'is_direct', is_direct, 'share_id', share_id, 'expires_at', expires_at,
    'ancestor', case when depth > 1 then (
      select json_build_object('permission_id', a.id, 'resource_type', k.resource_type,
        'resource_id', a.resource_id, 'external_id', a.external_id)
      from resources a join resource_kinds k on k.id = a.kind_id where a.id = granted.id
    ) end
  ) order by depth, rule_order, share_id, role), '[]')
  from granted
)`

/**
 * The links between groups of the principal `q`, as JSON: [parent id, child id, is direct member].
 */
const groupLinks = `(
  select json_agg(json_build_array(p.parent_id, p.child_id, g.is_direct) order by p.child_id)
  from group_members g join group_parents p on p.child_id = g.group_id
  where g.user_id = q.user_id and g.workspace_id = q.workspace_id
)`

/**
 * $1 to $11 as in `evaluationSql`. Returns a row for each check, in order: user id, the facts apart
 * from the listed grants, the list of grants, and the links between the groups of the user.
 */
export const explanationSql = `
with ${subjectCte}
select i.user_id, ${factsOf('0')}, ${grantRows}, ${groupLinks}
from ${checks}
order by i.position`

/**
 * $1 to $5 as $3 to $7 of `evaluationSql`. Returns the user id and the status bits of the subject.
 */
export const subjectSql = `
with ${subjectCte.replace(/\$(\d)/g, (_, index) => `$${Number(index) - 2}`)}
select user_id, status from subject`
