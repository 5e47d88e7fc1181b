import type { EventTable } from '../activity/events.ts'
import { everyone, group, roleHolders, target, users } from '../activity/feed/concerned.ts'

/** The events of workspaces, their members, groups and roles, and of service accounts. */
export const workspaceEvents = {
  'workspace.created': {
    target: 'workspace',
    detail: ['slug'],
    description:
      'A workspace was created, by a request or an import, or as the personal workspace of a first sign-in',
    recordedBy: ['createWorkspace', 'completeLogin', 'completeAdminLogin', 'executeCsvImport'],
  },
  'workspace.updated': {
    target: 'workspace',
    detail: ['slug'],
    description: 'The name or description of a workspace changed',
    recordedBy: ['updateWorkspace'],
  },
  'workspace.support_access_changed': {
    target: 'workspace',
    detail: ['slug', 'allowed'],
    description: 'An owner allowed or forbade support access, which ends if it is forbidden',
    recordedBy: ['updateWorkspace'],
  },
  'workspace.third_party_clients_changed': {
    target: 'workspace',
    detail: ['slug', 'allowed'],
    description:
      'An owner admitted or refused clients without registration; refusing them ended their grants',
    recordedBy: ['updateWorkspace'],
  },
  'workspace.delegations_changed': {
    target: 'workspace',
    detail: ['slug', 'allowed'],
    description:
      'An owner allowed or refused delegations to agents; refusing them ended those there',
    recordedBy: ['updateWorkspace'],
  },
  'workspace.email_sign_in_changed': {
    target: 'workspace',
    detail: ['slug', 'allowed'],
    description: 'An owner allowed or refused sessions that began with a code by e-mail',
    recordedBy: ['updateWorkspace'],
  },
  'workspace.slug_changed': {
    target: 'workspace',
    detail: ['from', 'to'],
    description:
      'A workspace whose slug was a UUID was renamed, because it could be taken for an ID',
    recordedBy: [],
    alsoRecordedBy: 'the database migration to this version',
  },
  'workspace.deleted': {
    target: 'workspace',
    detail: ['slug', 'services'],
    description:
      'A workspace was deleted with everything in it; `services` lists the services that had resources in it, or `none`',
    recordedBy: ['deleteWorkspace'],
  },
  'member.invited': {
    target: 'user',
    detail: ['email', 'role', 'expires_at', 'guest'],
    description:
      'A user was invited to a workspace, or the role or end of a pending invitation changed; `expires_at` is `never` for a membership that does not end, and `guest` is `true` for a guest',
    recordedBy: ['inviteMember', 'addUserToWorkspace', 'executeCsvImport'],
    concerns: target,
  },
  'member.role_changed': {
    target: 'user',
    detail: ['from', 'to'],
    description: 'The role of a member changed',
    recordedBy: ['updateMember', 'executeCsvImport'],
    alsoRecordedBy: 'SCIM, sign-ins through a connection with a `role_claim`',
    concerns: target,
  },
  'member.updated': {
    target: 'user',
    detail: ['guest'],
    description: 'A member became a guest, or is no longer one; `guest` is `true` or `false`',
    recordedBy: ['updateMember', 'executeCsvImport'],
    alsoRecordedBy: 'SCIM, sign-ins through a connection with a `role_claim`',
    concerns: target,
  },
  'member.expiry_changed': {
    target: 'user',
    detail: ['from', 'to'],
    description: 'The end of a membership changed; `never` if it does not end',
    recordedBy: ['updateMember'],
    concerns: target,
  },
  'member.expired': {
    target: 'user',
    detail: ['email', 'role', 'expires_at'],
    description: 'A membership ended; recorded within a minute, or when the user is invited again',
    recordedBy: [],
    alsoRecordedBy: 'the server',
    concerns: target,
  },
  'member.removed': {
    target: 'user',
    detail: ['email', 'role'],
    description: 'A member left a workspace or was removed from it, or declined its invitation',
    recordedBy: ['removeMember', 'leaveWorkspace', 'declineInvitation'],
    concerns: target,
  },
  'member.support_began': {
    target: 'user',
    detail: ['email', 'role', 'reason', 'expires_at'],
    description: 'An administrator gave a person support access, a membership that ends by itself',
    recordedBy: ['giveSupportAccess'],
    concerns: target,
  },
  'member.support_ended': {
    target: 'user',
    detail: ['email', 'role', 'reason'],
    description:
      'Support access ended; recorded within a minute of its end, or when somebody ended it',
    recordedBy: ['removeMember', 'updateWorkspace'],
    alsoRecordedBy: 'the server',
    concerns: target,
  },
  'group.created': {
    target: 'group',
    detail: ['name'],
    description: 'A group was created',
    recordedBy: ['createGroup', 'executeCsvImport'],
    alsoRecordedBy: 'SCIM',
  },
  'group.updated': {
    target: 'group',
    detail: ['name'],
    description: 'The name or description of a group changed',
    recordedBy: ['updateGroup'],
    alsoRecordedBy: 'SCIM',
  },
  'group.deleted': {
    target: 'group',
    detail: ['name'],
    description: 'A group was deleted with its memberships and the shares granted to it',
    recordedBy: ['deleteGroup'],
    alsoRecordedBy: 'SCIM',
    concerns: everyone,
  },
  'group.member_added': {
    target: 'group',
    detail: ['name', 'user_id'],
    description: 'A member was added to a group',
    recordedBy: ['addGroupMember'],
    alsoRecordedBy: 'SCIM, sign-ins through a connection with a `groups_claim`',
    concerns: (_, { user_id }) => users(user_id),
  },
  'group.members_added': {
    target: 'group',
    detail: ['name', 'user_ids'],
    description: 'A CSV import added members to a group; one entry lists at most 100 of them',
    recordedBy: ['executeCsvImport'],
    concerns: (_, { user_ids = '' }) => users(...user_ids.split(' ')),
  },
  'group.member_removed': {
    target: 'group',
    detail: ['name', 'user_id'],
    description: 'A member was removed from a group',
    recordedBy: ['removeGroupMember'],
    alsoRecordedBy: 'SCIM, sign-ins through a connection with a `groups_claim`',
    concerns: (_, { user_id }) => users(user_id),
  },
  'group.child_added': {
    target: 'group',
    detail: ['name', 'child_id'],
    description: 'A group was added as a child of another group, which includes its members',
    recordedBy: ['addChildGroup'],
    concerns: (_, { child_id }) => group(child_id),
  },
  'group.child_removed': {
    target: 'group',
    detail: ['name', 'child_id'],
    description: 'A child was removed from a group',
    recordedBy: ['removeChildGroup'],
    concerns: (_, { child_id }) => group(child_id),
  },
  'role.created': {
    target: 'role',
    detail: ['name'],
    description: 'A custom role was created',
    recordedBy: ['createRole'],
  },
  'role.updated': {
    target: 'role',
    detail: ['name'],
    description: 'The name or description of a custom role changed',
    recordedBy: ['updateRole'],
  },
  'role.deleted': {
    target: 'role',
    detail: ['name'],
    description: 'A custom role was deleted with its assignments',
    recordedBy: ['deleteRole'],
    concerns: everyone,
  },
  'role.member_added': {
    target: 'role',
    detail: ['name', 'user_id'],
    description: 'A custom role was assigned to a member',
    recordedBy: ['addRoleMember'],
    concerns: (_, { user_id }) => users(user_id),
  },
  'role.member_removed': {
    target: 'role',
    detail: ['name', 'user_id'],
    description: 'A custom role was removed from a member',
    recordedBy: ['removeRoleMember'],
    concerns: (_, { user_id }) => users(user_id),
  },
  'role.group_added': {
    target: 'role',
    detail: ['name', 'group_id'],
    description: 'A custom role was assigned to a group',
    recordedBy: ['addRoleGroup'],
    concerns: (_, { group_id }) => group(group_id),
  },
  'role.group_removed': {
    target: 'role',
    detail: ['name', 'group_id'],
    description: 'A custom role was removed from a group',
    recordedBy: ['removeRoleGroup'],
    concerns: (_, { group_id }) => group(group_id),
  },
  'role.action_added': {
    target: 'role',
    detail: ['name', 'service_name', 'action'],
    description: 'An action was added to a custom role',
    recordedBy: ['addRoleActions'],
    concerns: roleHolders,
  },
  'role.action_removed': {
    target: 'role',
    detail: ['name', 'service_name', 'action'],
    description: 'An action was removed from a custom role',
    recordedBy: ['removeRoleAction'],
    concerns: roleHolders,
  },
  'service_account.created': {
    target: 'service_account',
    detail: ['name', 'role', 'expires_at'],
    description: 'A service account was created',
    recordedBy: ['createServiceAccount'],
  },
  'service_account.updated': {
    target: 'service_account',
    detail: ['name', 'role', 'is_active', 'expires_at'],
    description:
      'A service account changed; if it was deactivated or had ended, its credentials ended for good',
    recordedBy: ['updateServiceAccount'],
  },
  'service_account.deleted': {
    target: 'service_account',
    detail: ['name', 'resources'],
    description: 'A service account was deleted; `resources` were transferred to another member',
    recordedBy: ['deleteServiceAccount'],
  },
  'api_key.created': {
    target: 'api_key',
    detail: ['name', 'key_prefix', 'service_account_id', 'expires_at'],
    description: 'An API key of a service account was created',
    recordedBy: ['createKey'],
  },
  'api_key.deleted': {
    target: 'api_key',
    detail: ['name', 'key_prefix', 'service_account_id'],
    description: 'An API key of a service account was deleted',
    recordedBy: ['deleteKey'],
  },
} as const satisfies EventTable

type WorkspaceEvents = typeof workspaceEvents

declare module '../activity/events.ts' {
  interface ActivityEvents extends WorkspaceEvents {}
}
