import { type GrantKind, notApplicable, type RoleRows } from './grant-kind.ts'
import type { ServiceSubjectColumns } from './offered-columns.ts'

const isOfAction = 'a custom role has its actions on all that the user may view'

/**
 * A custom role with the action, which a group of the user has. Like `customRole`, it is a fact about
 * the action.
 */
export const groupRole: GrantKind = {
  bits: notApplicable(isOfAction),
  // Reads the roles of groups in the workspace first, because most workspaces have few.
  actionGranted: ({ actionId, userId, workspaceId }) => `exists (
                select from (
                  select role_id, group_id from custom_role_groups
                  where workspace_id = ${workspaceId} offset 0
                ) rg
                where exists (
                  select from custom_role_actions ra
                  where ra.service_action_id = ${actionId} and ra.role_id = rg.role_id offset 0
                ) and exists (
                  select from group_members g
                  where g.group_id = rg.group_id and g.user_id = ${userId} offset 0
                )
              )`,
  reasons: (columns) => ({ bits: 0, ...rolesOf(columns) }),
  idMember: notApplicable('reasons name the role and the group'),
  workspaceRoles: rolesOf,
  assumedBy: { assumption: 'role' },
  resources: notApplicable(isOfAction),
  folders: notApplicable(isOfAction),
  subjects: ({ service, action, actionKind, workspace, after, limit }) => [
    `select g.user_id, 0 as bits from custom_role_groups rg
      join custom_role_actions ra on ra.role_id = rg.role_id
        and ra.service_action_id = (
          select id from service_actions where service_name = ${service} and name = ${action}
        )
      cross join lateral (
        select user_id from group_members
        where group_id = rg.group_id and user_id > ${after} order by user_id limit ${limit}
      ) g
      where ${actionKind} = 'registered' and rg.workspace_id = ${workspace}
      group by g.user_id order by g.user_id limit ${limit}`,
  ],
  conditions: notApplicable('custom roles have none'),
  accessPairs: notApplicable('the pairs with which the user may view suffice for its actions'),
  changeRecords: ['custom_role_groups', 'group_members', 'service_actions'],
  expiry: notApplicable('custom roles do not expire'),
  storedIn: 'custom_role_groups',
}

function rolesOf({ subject }: { subject: ServiceSubjectColumns }): RoleRows {
  return {
    role: 'role.name',
    groupId: 'rg.group_id',
    isDirect: 'g.is_direct',
    from: `chain
    join service_actions sa on sa.service_name = ${subject.service} and sa.name = ${subject.action}
    join custom_role_groups rg on rg.workspace_id = ${subject.workspaceId}
    join custom_role_actions ra on ra.service_action_id = sa.id and ra.role_id = rg.role_id
    join group_members g on g.group_id = rg.group_id and g.user_id = ${subject.userId}
    join custom_roles role on role.id = rg.role_id
    where depth = 1`,
  }
}
