import { defineEntity, p } from '@mikro-orm/core'

/** A role that a workspace defines. It grants actions of services to members. */
export const CustomRole = defineEntity({
  name: 'CustomRole',
  tableName: 'custom_roles',
  properties: {
    id: p.uuid().primary(),
    workspace_id: p.uuid(),
    name: p.text(),
    description: p.text().default(''),
    created_at: p.datetime().defaultRaw('now()'),
  },
})

/** An action that a custom role grants. */
export const CustomRoleAction = defineEntity({
  name: 'CustomRoleAction',
  tableName: 'custom_role_actions',
  properties: { role_id: p.uuid().primary(), service_action_id: p.uuid().primary() },
})

/** The assignment of a custom role to a member. */
export const CustomRoleMember = defineEntity({
  name: 'CustomRoleMember',
  tableName: 'custom_role_members',
  properties: {
    role_id: p.uuid().primary(),
    user_id: p.uuid().primary(),
    workspace_id: p.uuid(),
    added_at: p.datetime().defaultRaw('now()'),
  },
})
