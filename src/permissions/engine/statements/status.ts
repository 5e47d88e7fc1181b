import { actionFact } from '../../access.ts'
import { membershipBitsSql, statusBit } from '../bits.ts'
import { partsOf } from '../grants/grant-kinds.ts'

/** The service of a key, or null unless the key is valid, and the version of the routes of the service. */
export type KeyStatus = [service: string | null, routesVersion: string | null]

/**
 * Returns two SQL columns: whether an active service app exists, which makes keys required, and a
 * JSON array with the KeyStatus of each key. `hashes` is the parameter with the hashes of the keys.
 */
export function keyStatusColumns(hashes: string): string {
  return `
  exists (select from service_apps where is_active) as keys_required,
  (
    select json_agg(json_build_array(a.service_name, (
      select version from service_routes where service_name = a.service_name
    )) order by q.position)
    from unnest(${hashes}::text[]) with ordinality q(key_hash, position)
    left join service_keys k on k.key_hash = q.key_hash
      and (k.expires_at is null or k.expires_at > now())
    left join service_apps a on a.id = k.app_id and a.is_active
  ) as key_statuses`
}

/**
 * The status of the subject `q` (`token_id`, `user_id`, `workspace_id`) as bits, with the role in
 * its workspace. Requires `statusJoins`.
 */
export const statusSql = `case when d.token_id is null then 0 else ${statusBit.denied} end
      | case when u.id is null then 0 else ${statusBit.known} end
      | case when u.is_active then ${statusBit.active} else 0 end
      | case when u.is_admin then ${statusBit.admin} else 0 end
      | case when u.workspace_id is null then 0 else ${statusBit.serviceAccount} end
      | case when u.id is null and q.token_id is null then ${statusBit.anonymous} else 0 end
      | ${membershipBitsSql('m')}`

/**
 * Look up each subject by index. `offset 0` prevents a hash join, which would read whole tables.
 */
export const statusJoins = `left join lateral (
      select token_id from denied_tokens where token_id = q.token_id offset 0
    ) d on true
    left join lateral (
      select users.id, is_active, is_admin, users.workspace_id from users
      where users.id = q.user_id offset 0
    ) u on true
    left join lateral (
      select role, is_guest from live_members where user_id = q.user_id and workspace_id = q.workspace_id offset 0
    ) m on true`

/** Returns an SQL condition: whether the user has a custom role, or another such grant, with the action. */
export function hasRoleSql(actionId: string, userId: string, workspaceId: string): string {
  const parts = partsOf('actionGranted')
  return `(
              ${parts.map(({ part }) => part({ actionId, userId, workspaceId })).join(' or ')}
            )`
}

/**
 * The bits of `actionFact` for the action of `q` (`user_id`, `workspace_id`, `service`, `action`).
 * The action is null if it is built in.
 */
export const actionBitsSql = `case when q.action is null then 0 else coalesce((
          select ${actionFact.registered} | case when ${hasRoleSql('sa.id', 'q.user_id', 'q.workspace_id')}
            then ${actionFact.granted} else 0 end
          from service_actions sa where sa.service_name = q.service and sa.name = q.action
        ), 0) end`
