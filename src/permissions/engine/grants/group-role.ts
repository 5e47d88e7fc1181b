import type { GrantKind } from './grant-kind.ts'

/**
 * A custom role with the action, which a group of the user has. Like `customRole`, it is a fact about
 * the action.
 */
export const groupRole: GrantKind = {
  rule: 'custom_role',
  bits: null,
  reasons: {
    bits: 0,
    role: 'role.name',
    groupId: 'rg.group_id',
    isDirect: 'g.is_direct',
    from: `chain
    join service_actions sa on sa.service_name = q.service and sa.name = q.action
    join custom_role_groups rg on rg.workspace_id = q.workspace_id
    join custom_role_actions ra on ra.service_action_id = sa.id and ra.role_id = rg.role_id
    join group_members g on g.group_id = rg.group_id and g.user_id = q.user_id
    join custom_roles role on role.id = rg.role_id
    where depth = 1`,
  },
  resources: null,
  folders: null,
  subjects: [
    `select g.user_id, 0 as bits from custom_role_groups rg
      join custom_role_actions ra on ra.role_id = rg.role_id
        and ra.service_action_id = (
          select id from service_actions where service_name = $1 and name = $7
        )
      cross join lateral (
        select user_id from group_members
        where group_id = rg.group_id and user_id > $4 order by user_id limit $5
      ) g
      where $6 = 'registered' and rg.workspace_id = (select workspace_id from resource_workspace)
      group by g.user_id order by g.user_id limit $5`,
  ],
  changeRecords: ['custom_role_groups', 'group_members', 'service_actions'],
}
