import { roles } from '../core/roles.ts'
import { actionFact, grant } from './access.ts'

/** The bits of a principal's status. The bits from `roleShift` on hold the role, counted from 1. */
export const statusBit = { denied: 1, active: 2, admin: 4 } as const
export const roleShift = 3

const roleBits = roles
  .map((role, index) => `when '${role}' then ${(index + 1) << roleShift}`)
  .join(' ')

/**
 * If a resource is shared with more groups than this, the query reads the groups of the user instead of
 * looking up the user in each group.
 */
const maxProbedGroups = 4

const shareBits = `case s.permission when 'edit' then ${grant.edit} else ${grant.view} end`

/** How the query finds out whether a user is a member of a group that a resource is shared with. */
export type GroupLookup = 'probed' | 'hashed'

const isInGroup: Record<GroupLookup, string> = {
  /** One index lookup for each group. `offset 0` prevents a hash join, which would read more. */
  probed: `exists (
                  select from group_members g
                  where g.group_id = s.group_id and g.user_id = q.user_id offset 0
                )`,
  /** Reads and hashes all groups of the callers once, which is faster for many checks of few callers. */
  hashed: `(q.user_id, s.group_id) in (
                  select g.user_id, g.group_id
                  from unnest($5::uuid[], $6::uuid[]) principal(user_id, workspace_id)
                  join group_members g using (user_id, workspace_id)
                )`,
}

/**
 * Returns one row for a batch: whether keys are required, the service of each key, the status of each
 * principal, the grants of each check.
 *
 * $1 hashes of keys; $2, $3 kinds (service, type); $4 to $6 principals (token, user, workspace); $7 to
 * $10 checks (principal, kind, resource, action). Checks refer to principals and kinds by their index,
 * from 1, so that what they share is sent once. The results are arrays, because sending and parsing a
 * row for each check would take longer than the lookups.
 */
function createFactsSql(lookup: GroupLookup): string {
  return `
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
            select case when count(*) <= ${maxProbedGroups} then bit_or(bits) else (
                select bit_or(${shareBits}) from shares s
                where s.kind_id = r.kind_id and s.resource_id = r.resource_id
                  and s.group_id = any(array(
                    select g.group_id from group_members g
                    where g.user_id = q.user_id and g.workspace_id = q.workspace_id
                  ))
              ) end
            from (
              select case when ${isInGroup[lookup]} then ${shareBits} end bits
              from shares s
              where s.kind_id = r.kind_id and s.resource_id = r.resource_id
                and s.group_id is not null
              limit ${maxProbedGroups + 1}
            ) probed
          ), 0)
      end
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
      select ($5::uuid[])[item.principal] user_id, ($6::uuid[])[item.principal] workspace_id,
        ($2::text[])[item.kind] service, resource, action, place,
        (array(
          select k.id
          from unnest($2::text[], $3::text[]) with ordinality kind(service, type, place)
          left join resource_kinds k
            on k.service_name = kind.service and k.resource_type = kind.type
          order by kind.place
        ))[item.kind] kind_id
      from unnest($7::int[], $8::int[], $9::uuid[], $10::text[])
        with ordinality item(principal, kind, resource, action, place)
    ) q
    left join resources r on r.kind_id = q.kind_id and r.resource_id = q.resource
      and r.workspace_id = q.workspace_id
  )`
}

/** The facts query for each way to look up groups. */
export const factsSql: Record<GroupLookup, string> = {
  probed: createFactsSql('probed'),
  hashed: createFactsSql('hashed'),
}
