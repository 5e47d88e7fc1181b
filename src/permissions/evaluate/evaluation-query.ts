import { roles } from '../../core/roles.ts'
import { actionFact, grant } from '../access.ts'
import { grantsOf } from '../grants-query.ts'

/** The status of a subject, in bits above those of grants and facts about actions. */
export const subjectBit = { known: 1 << 16, active: 1 << 17, denied: 1 << 18 } as const

/** The bits from here on hold the role in the resource's workspace, counted from 1. */
export const roleShift = 20

const roleBits = roles
  .map((role, index) => `when '${role}' then ${(index + 1) << roleShift}`)
  .join(' ')

/**
 * The users of subjects in a CTE. $3 to $7 as in `evaluationSql`. The three ways to name a user are
 * tried in this order: no other user can take over an id that an administrator has assigned.
 */
const subjectCte = `
subject as materialized (
  select s.place, u.id as user_id, s.workspace_id,
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
      with ordinality named(external_id, user_id, email, token_id, workspace_id, place)
  ) s
  left join users u on u.id = s.resolved
  left join denied_tokens d on d.token_id = s.token_id
)`

/**
 * Returns one row for a batch: the facts of each check as bits, as an array literal.
 *
 * $1, $2 kinds (service, type); $3 to $7 subjects (external id, user id, e-mail address, token id,
 * workspace of the token); $8 to $11 checks (subject, kind, resource, action), which refer to subjects
 * and kinds by their index, from 1. The workspace of a check is that of its resource.
 */
export const evaluationSql = `
with ${subjectCte}
select array_agg(
  q.status
  | coalesce((
      select case m.role ${roleBits} else 0 end from members m
      where m.user_id = q.user_id and m.workspace_id = q.workspace_id
    ), 0)
  | case when r.id is null then 0 else ${grant.registered} | ${grantsOf.walked('probed')} end
  | case when q.action is null then 0 else coalesce((
      select ${actionFact.registered} | case when exists (
          select from custom_role_actions ra
          join custom_role_members rm on rm.role_id = ra.role_id
          where ra.service_action_id = sa.id
            and rm.user_id = q.user_id and rm.workspace_id = q.workspace_id
        ) then ${actionFact.granted} else 0 end
      from service_actions sa where sa.service_name = q.service and sa.name = q.action
    ), 0) end
  order by q.place)::text
from (
  select
    (array(select user_id from subject order by place))[item.subject] as user_id,
    (array(select status from subject order by place))[item.subject] as status,
    (array(select workspace_id from subject order by place))[item.subject] as token_workspace_id,
    ($1::text[])[item.kind] as service,
    (array(
      select k.id
      from unnest($1::text[], $2::text[]) with ordinality kind(service, type, place)
      left join resource_kinds k
        on k.service_name = kind.service and k.resource_type = kind.type
      order by kind.place
    ))[item.kind] as kind_id,
    item.resource, item.action, item.place
  from unnest($8::int[], $9::int[], $10::uuid[], $11::text[])
    with ordinality item(subject, kind, resource, action, place)
) i
left join resources r on r.kind_id = i.kind_id and r.resource_id = i.resource
  and (i.token_workspace_id is null or r.workspace_id = i.token_workspace_id)
cross join lateral (
  select i.user_id, i.status, i.service, i.action, i.place, r.workspace_id
) q`

/** Parameters $3 to $7 of `evaluationSql` as $1 to $5. Returns the user id and the bits of the subject. */
export const subjectSql = `
with ${subjectCte.replace(/\$(\d)/g, (_, index) => `$${Number(index) - 2}`)}
select user_id, status from subject`
