import { type GrantKind, notApplicable, type RoleRows } from './grant-kind.ts'
import type { ServiceSubjectColumns } from './offered-columns.ts'

const isOfAction = 'a custom role has its actions on all that the user may view'

/**
 * A custom role with the action. It counts on resources that the user may view. Its bit is a fact
 * about the action (`actionFact.granted`), which is the same for every resource of a workspace.
 */
export const customRole: GrantKind = {
  bits: notApplicable(isOfAction),
  actionGranted: ({ actionId, userId, workspaceId }) => `exists (
                select from custom_role_actions ra
                join custom_role_members rm on rm.role_id = ra.role_id
                where ra.service_action_id = ${actionId}
                  and rm.user_id = ${userId} and rm.workspace_id = ${workspaceId}
              )`,
  reasons: (columns) => ({ bits: 0, ...rolesOf(columns) }),
  idMember: notApplicable('reasons name the role'),
  workspaceRoles: rolesOf,
  assumedBy: { assumption: 'role' },
  resources: notApplicable(isOfAction),
  folders: notApplicable(isOfAction),
  subjects: ({ service, action, actionKind, workspace, after, limit }) => [
    `select rm.user_id, 0 as bits from custom_roles role
      join custom_role_actions ra on ra.role_id = role.id
        and ra.service_action_id = (
          select id from service_actions where service_name = ${service} and name = ${action}
        )
      cross join lateral (
        select user_id from custom_role_members
        where role_id = role.id and user_id > ${after} order by user_id limit ${limit}
      ) rm
      where ${actionKind} = 'registered' and role.workspace_id = ${workspace}
      group by rm.user_id order by rm.user_id limit ${limit}`,
  ],
  conditions: notApplicable('custom roles have none'),
  accessPairs: notApplicable('the pairs with which the user may view suffice for its actions'),
  changeRecords: ['custom_role_members', 'service_actions'],
  expiry: notApplicable('custom roles do not expire'),
  storedIn: 'custom_role_members',
}

function rolesOf({ subject }: { subject: ServiceSubjectColumns }): RoleRows {
  return {
    role: 'role.name',
    from: `chain
    join service_actions sa on sa.service_name = ${subject.service} and sa.name = ${subject.action}
    join custom_role_actions ra on ra.service_action_id = sa.id
    join custom_role_members rm on rm.role_id = ra.role_id
      and rm.user_id = ${subject.userId} and rm.workspace_id = ${subject.workspaceId}
    join custom_roles role on role.id = rm.role_id
    where depth = 1`,
  }
}
