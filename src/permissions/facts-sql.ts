import { roles } from '../workspaces/roles.ts'
import { action, ground } from './access.ts'

/** The bits of a standing; above them, from `roleShift` on, the role counted from 1. */
export const standingBit = { keysRequired: 1, denied: 2, active: 4, admin: 8 } as const
export const roleShift = 4

const roleBits = roles.map((role, at) => `when '${role}' then ${(at + 1) << roleShift}`).join(' ')

/**
 * One row for each row of the parameter arrays: its position, the standing of the credentials (where
 * the row carries them), the service the key belongs to, and the grounds of the resource.
 */
export const factsSql = `
select
  q.position::int,
  case when exists (select from service_apps where is_active)
    then ${standingBit.keysRequired} else 0 end
  | case when d.token_id is null then 0 else ${standingBit.denied} end
  | case when u.is_active then ${standingBit.active} else 0 end
  | case when u.is_admin then ${standingBit.admin} else 0 end
  | case m.role ${roleBits} else 0 end,
  a.service_name,
  case when r.id is null then 0 else ${ground.registered}
    | case when r.owner_id = q.user_id then ${ground.owner} else 0 end
    | case when r.visibility = 'workspace' then ${ground.workspace} else 0 end
    | coalesce(s.bits, 0)
  end
  | case when q.action in ('view', 'edit') then 0 else coalesce((
      select ${action.known} | case when exists (
          select from custom_role_actions ra
          join custom_role_members rm on rm.role_id = ra.role_id
          where ra.service_action_id = sa.id
            and rm.user_id = q.user_id and rm.workspace_id = q.workspace_id
        ) then ${action.granted} else 0 end
      from service_actions sa where sa.service_name = q.service and sa.name = q.action
    ), 0) end
from unnest($1::text[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[],
    $6::text[], $7::text[], $8::uuid[], $9::text[])
  with ordinality q(key_hash, token_id, standing_id, user_id, workspace_id,
    service, type, resource, action, position)
left join service_keys k on k.key_hash = q.key_hash
  and (k.expires_at is null or k.expires_at > now())
left join service_apps a on a.id = k.app_id and a.is_active
left join denied_tokens d on d.token_id = q.token_id
left join users u on u.id = q.standing_id
left join members m on m.user_id = q.standing_id and m.workspace_id = q.workspace_id
left join resource_kinds kind on kind.service_name = q.service and kind.resource_type = q.type
left join resources r on r.kind_id = kind.id and r.resource_id = q.resource
  and r.workspace_id = q.workspace_id
left join lateral (
  select bit_or(case shared.permission when 'edit' then ${ground.edit} else ${ground.view} end) bits
  from (
    select s.permission from shares s
    where s.kind_id = r.kind_id and s.resource_id = r.resource_id
      and s.group_id is null and s.user_id = q.user_id
    union all
    select s.permission from shares s
    where s.kind_id = r.kind_id and s.resource_id = r.resource_id
      -- \`offset 0\` keeps this a probe for each group: hashed, it would read all of the user's.
      and s.group_id is not null and exists (
        select from group_members g where g.group_id = s.group_id and g.user_id = q.user_id offset 0
      )
  ) shared
) s on true`
