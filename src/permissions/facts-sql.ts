import { roles } from '../core/roles.ts'
import { actionFact, grant } from './access.ts'

/** The bits of a standing; above them, from `roleShift` on, the role counted from 1. */
export const statusBit = { denied: 1, active: 2, admin: 4 } as const
export const roleShift = 3

const roleBits = roles.map((role, at) => `when '${role}' then ${(at + 1) << roleShift}`).join(' ')
/** Up to how many groups of a resource are asked for the user; of more, the user's are looked for. */
const fewGroups = 4

const shareBits = `case s.permission when 'edit' then ${grant.edit} else ${grant.view} end`

/** How a statement finds out whether a user is in a group of a resource. */
export type Membership = 'probed' | 'hashed'

const inGroup: Record<Membership, string> = {
  /** A descent for each; `offset 0` keeps it one: hashed, it would read all of the user's groups. */
  probed: `exists (
                  select from group_members g
                  where g.group_id = s.group_id and g.user_id = q.user_id offset 0
                )`,
  /** All groups of the callers are read and hashed once, which many asks of few callers gain by. */
  hashed: `(q.user_id, s.group_id) in (
                  select g.user_id, g.group_id
                  from unnest($5::uuid[], $6::uuid[]) principal(user_id, workspace_id)
                  join group_members g using (user_id, workspace_id)
                )`,
}

/**
 * One row for a whole batch: whether keys are required, the service of each key, the standing of each
 * principal, the grounds of each ask. What callers and asks have in common comes once, and is meant by
 * its place: $1 keys; $2, $3 kinds; $4 to $6 callers; $7 to $10 asks. Aggregated, because a row for
 * each would take both sides longer to send and to read than the looking up.
 */
const sql = (membership: Membership) => `
select
  exists (select from service_apps where is_active),
  (
    select json_agg(a.service_name order by q.place)
    from unnest($1::text[]) with ordinality q(key_hash, place)
    left join service_keys k on k.key_hash = q.key_hash
      and (k.expires_at is null or k.expires_at > now())
    left join service_apps a on a.id = k.app_id and a.is_active
  ),
  (
    select array_agg(
      case when d.token_id is null then 0 else ${statusBit.denied} end
      | case when u.is_active then ${statusBit.active} else 0 end
      | case when u.is_admin then ${statusBit.admin} else 0 end
      | case m.role ${roleBits} else 0 end
      order by q.place)::text
    from unnest($4::uuid[], $5::uuid[], $6::uuid[])
      with ordinality q(token_id, user_id, workspace_id, place)
    left join denied_tokens d on d.token_id = q.token_id
    left join users u on u.id = q.user_id
    left join members m on m.user_id = q.user_id and m.workspace_id = q.workspace_id
  ),
  (
    select array_agg(
      case when r.id is null then 0 else ${grant.registered}
        | case when r.owner_id = q.user_id then ${grant.owner} else 0 end
        | case when r.visibility = 'workspace' then ${grant.workspace} else 0 end
        | coalesce((
            select ${shareBits} from shares s
            where s.kind_id = r.kind_id and s.resource_id = r.resource_id
              and s.group_id is null and s.user_id = q.user_id
          ), 0)
        | coalesce((
            select case when count(*) <= ${fewGroups} then bit_or(bits) else (
                select bit_or(${shareBits}) from shares s
                where s.kind_id = r.kind_id and s.resource_id = r.resource_id
                  and s.group_id = any(array(
                    select g.group_id from group_members g
                    where g.user_id = q.user_id and g.workspace_id = q.workspace_id
                  ))
              ) end
            from (
              select case when ${inGroup[membership]} then ${shareBits} end bits
              from shares s
              where s.kind_id = r.kind_id and s.resource_id = r.resource_id
                and s.group_id is not null
              limit ${fewGroups + 1}
            ) few
          ), 0)
      end
      | case when q.action is null then 0 else coalesce((
          select ${actionFact.known} | case when exists (
              select from custom_role_actions ra
              join custom_role_members rm on rm.role_id = ra.role_id
              where ra.service_action_id = sa.id
                and rm.user_id = q.user_id and rm.workspace_id = q.workspace_id
            ) then ${actionFact.granted} else 0 end
          from service_actions sa where sa.service_name = q.service and sa.name = q.action
        ), 0) end
      order by q.place)::text
    from (
      select ($5::uuid[])[ask.principal] user_id, ($6::uuid[])[ask.principal] workspace_id,
        ($2::text[])[ask.kind] service, resource, action, place,
        (array(
          select known.id
          from unnest($2::text[], $3::text[]) with ordinality kind(service, type, place)
          left join resource_kinds known
            on known.service_name = kind.service and known.resource_type = kind.type
          order by kind.place
        ))[ask.kind] kind_id
      from unnest($7::int[], $8::int[], $9::uuid[], $10::text[])
        with ordinality ask(principal, kind, resource, action, place)
    ) q
    left join resources r on r.kind_id = q.kind_id and r.resource_id = q.resource
      and r.workspace_id = q.workspace_id
  )`

/** The statement, by how it looks for memberships. */
export const factsSql: Record<Membership, string> = { probed: sql('probed'), hashed: sql('hashed') }
