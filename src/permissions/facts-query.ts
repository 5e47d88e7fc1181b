import { roles } from '../core/roles.ts'
import { actionFact, grant } from './access.ts'
import { type Ancestry, type GroupLookup, grantsOf } from './grants-query.ts'

/**
 * The bits of a principal's status. The bits from `roleShift` on contain the position of the role,
 * from 1, or 0 without a role.
 */
export const statusBit = { denied: 1, active: 2, admin: 4 } as const
export const roleShift = 3

const roleBits = roles
  .map((role, index) => `when '${role}' then ${(index + 1) << roleShift}`)
  .join(' ')

/**
 * Returns two SQL columns: whether an active service app exists, which makes keys required, and the
 * service of each key as a JSON array. `hashes` is the parameter with the hashes of the keys.
 */
export function keyStatusColumns(hashes: string): string {
  return `
  exists (select from service_apps where is_active),
  (
    select json_agg(a.service_name order by q.position)
    from unnest(${hashes}::text[]) with ordinality q(key_hash, position)
    left join service_keys k on k.key_hash = q.key_hash
      and (k.expires_at is null or k.expires_at > now())
    left join service_apps a on a.id = k.app_id and a.is_active
  )`
}

/**
 * The status of the principal `q` (`token_id`, `user_id`, `workspace_id`) as an SQL expression.
 * Requires the joins of `principalJoins`.
 */
export const principalStatus = `case when d.token_id is null then 0 else ${statusBit.denied} end
      | case when u.is_active then ${statusBit.active} else 0 end
      | case when u.is_admin then ${statusBit.admin} else 0 end
      | case m.role ${roleBits} else 0 end`

export const principalJoins = `left join denied_tokens d on d.token_id = q.token_id
    left join users u on u.id = q.user_id
    left join members m on m.user_id = q.user_id and m.workspace_id = q.workspace_id`

/**
 * The bits of `actionFact` for the action of `q` (`user_id`, `workspace_id`, `service`, `action`),
 * as an SQL expression. The action is null if it is built in.
 */
export const actionFacts = `case when q.action is null then 0 else coalesce((
          select ${actionFact.registered} | case when exists (
              select from custom_role_actions ra
              join custom_role_members rm on rm.role_id = ra.role_id
              where ra.service_action_id = sa.id
                and rm.user_id = q.user_id and rm.workspace_id = q.workspace_id
            ) then ${actionFact.granted} else 0 end
          from service_actions sa where sa.service_name = q.service and sa.name = q.action
        ), 0) end`

/**
 * The statement returns one row for a batch: whether keys are required, the service of each key,
 * the status of each principal, and the grants and action facts of each check.
 *
 * $1 hashes of keys; $2, $3 kinds (service, type); $4 to $6 principals (token, user, workspace); $7
 * to $10 checks (principal, kind, resource, action). Checks refer to principals and kinds by their
 * position, from 1, so that each principal and kind is sent only once. The results are arrays,
 * because sending and parsing a row for each check would take longer than the lookups.
 */
function createFactsSql(ancestry: Ancestry, lookup: GroupLookup): string {
  return `
select ${keyStatusColumns('$1')},
  (
    select array_agg(
      ${principalStatus}
      order by q.position)::text
    from unnest($4::uuid[], $5::uuid[], $6::uuid[])
      with ordinality q(token_id, user_id, workspace_id, position)
    ${principalJoins}
  ),
  (
    select array_agg(
      case when r.id is null then 0 else ${grant.registered}
        | ${grantsOf[ancestry](lookup)}
      end
      | ${actionFacts}
      order by q.position)::text
    from (
      select ($5::uuid[])[item.principal] user_id, ($6::uuid[])[item.principal] workspace_id,
        ($2::text[])[item.kind] service, resource, action, position,
        (array(
          select k.id
          from unnest($2::text[], $3::text[]) with ordinality kind(service, type, position)
          left join resource_kinds k
            on k.service_name = kind.service and k.resource_type = kind.type
          order by kind.position
        ))[item.kind] kind_id
      from unnest($7::int[], $8::int[], $9::uuid[], $10::text[])
        with ordinality item(principal, kind, resource, action, position)
    ) q
    left join resources r on r.kind_id = q.kind_id and r.resource_id = q.resource
      and r.workspace_id = q.workspace_id
  )`
}

/** The facts query for each combination of `Ancestry` and `GroupLookup`. */
export const factsSql: Record<Ancestry, Record<GroupLookup, string>> = {
  flagged: {
    probed: createFactsSql('flagged', 'probed'),
    hashed: createFactsSql('flagged', 'hashed'),
  },
  walked: {
    probed: createFactsSql('walked', 'probed'),
    hashed: createFactsSql('walked', 'hashed'),
  },
}
