import type { GrantKind } from './grant-kind.ts'

/**
 * A custom role with the action. It counts on resources that the user may view. Its bit is a fact
 * about the action (`actionFact.granted`), which is the same for every resource of a workspace.
 */
export const customRole: GrantKind = {
  rule: 'custom_role',
  bits: null,
  reasons: {
    bits: 0,
    role: 'role.name',
    from: `chain
    join service_actions sa on sa.service_name = q.service and sa.name = q.action
    join custom_role_actions ra on ra.service_action_id = sa.id
    join custom_role_members rm on rm.role_id = ra.role_id
      and rm.user_id = q.user_id and rm.workspace_id = q.workspace_id
    join custom_roles role on role.id = rm.role_id
    where depth = 1`,
  },
  resources: null,
  folders: null,
  subjects: [
    `select rm.user_id, 0 as bits from custom_roles role
      join custom_role_actions ra on ra.role_id = role.id
        and ra.service_action_id = (
          select id from service_actions where service_name = $1 and name = $7
        )
      cross join lateral (
        select user_id from custom_role_members
        where role_id = role.id and user_id > $4 order by user_id limit $5
      ) rm
      where $6 = 'registered' and role.workspace_id = (select workspace_id from resource_workspace)
      group by rm.user_id order by rm.user_id limit $5`,
  ],
  changeRecords: ['custom_role_members', 'service_actions'],
}
