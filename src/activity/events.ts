/** What a resource is called in the detail of an entry. */
const resource = ['service_name', 'resource_type', 'resource_id'] as const

/** A share in the detail of an entry. */
const share = [...resource, 'grantee_type', 'grantee_id', 'permission'] as const

/**
 * Every recorded occurrence (specification 6): what it happens to, what its detail tells, what it
 * means, and the use cases that write it; without any it is the operator's tool.
 */
export const activityEvents = {
  'user.signed_in': {
    target: 'user',
    detail: ['provider'],
    sentence: 'Somebody signed in by a provider, for a client app',
    by: ['completeLogin'],
  },
  'user.sign_in_failed': {
    target: 'user',
    detail: ['provider', 'error'],
    sentence: 'A sign-in came back from the provider and led nowhere; nobody is named',
    by: ['completeLogin'],
  },
  'admin.signed_in': {
    target: 'user',
    detail: ['provider'],
    sentence: 'An administrator signed in to the panel',
    by: ['completeAdminLogin'],
  },
  'admin.sign_in_failed': {
    target: 'user',
    detail: ['provider', 'error'],
    sentence: 'A sign-in to the panel came back from the provider and led nowhere; nobody is named',
    by: ['completeAdminLogin'],
  },
  'admin.access_refused': {
    target: 'user',
    detail: ['provider'],
    sentence: 'Somebody who is no administrator asked for the panel',
    by: ['completeAdminLogin'],
  },
  'user.updated': {
    target: 'user',
    detail: ['email'],
    sentence: 'An administrator changed the name',
    by: ['updateUser'],
  },
  'user.renamed': {
    target: 'user',
    detail: ['from', 'to'],
    sentence: 'An import changed the name',
    by: ['executeCsvImport'],
  },
  'user.activated': {
    target: 'user',
    detail: ['email'],
    sentence: 'A user may sign in again',
    by: ['updateUser'],
  },
  'user.deactivated': {
    target: 'user',
    detail: ['email'],
    sentence: 'A user is signed out everywhere and may not sign in',
    by: ['updateUser'],
  },
  'user.promoted': {
    target: 'user',
    detail: ['email', 'by'],
    sentence: 'The operator made somebody an administrator',
    by: [],
  },
  'user.demoted': {
    target: 'user',
    detail: ['email', 'by'],
    sentence: 'The operator took it back',
    by: [],
  },
  'import.executed': {
    target: 'import',
    detail: ['rows', 'created', 'updated'],
    sentence: 'A CSV file was imported; what it changed stands before',
    by: ['executeCsvImport'],
  },
  'workspace.created': {
    target: 'workspace',
    detail: ['slug'],
    sentence: 'A workspace was made, or a first sign-in brought one along',
    by: ['createWorkspace', 'completeLogin', 'completeAdminLogin'],
  },
  'workspace.updated': {
    target: 'workspace',
    detail: ['slug'],
    sentence: 'Name or description changed',
    by: ['updateWorkspace'],
  },
  'workspace.deleted': {
    target: 'workspace',
    detail: ['slug'],
    sentence: 'It went, with all that belonged to it',
    by: ['deleteWorkspace'],
  },
  'member.invited': {
    target: 'user',
    detail: ['email', 'role'],
    sentence: 'A person became a member, known here before or not',
    by: ['inviteMember', 'addUserToWorkspace', 'executeCsvImport'],
  },
  'member.role_changed': {
    target: 'user',
    detail: ['from', 'to'],
    sentence: 'A member has another role',
    by: ['updateMember', 'executeCsvImport'],
  },
  'member.removed': {
    target: 'user',
    detail: ['email', 'role'],
    sentence: 'A member left or was removed',
    by: ['removeMember'],
  },
  'group.created': {
    target: 'group',
    detail: ['name'],
    sentence: 'A group was made',
    by: ['createGroup', 'executeCsvImport'],
  },
  'group.updated': {
    target: 'group',
    detail: ['name'],
    sentence: 'Name or description changed',
    by: ['updateGroup'],
  },
  'group.deleted': {
    target: 'group',
    detail: ['name'],
    sentence: 'It went, with its memberships and what was shared with it',
    by: ['deleteGroup'],
  },
  'group.member_added': {
    target: 'group',
    detail: ['name', 'user_id'],
    sentence: 'A member came into a group',
    by: ['addGroupMember'],
  },
  'group.members_added': {
    target: 'group',
    detail: ['name', 'user_ids'],
    sentence: 'An import brought members into a group, at most 100 an entry',
    by: ['executeCsvImport'],
  },
  'group.member_removed': {
    target: 'group',
    detail: ['name', 'user_id'],
    sentence: 'A member was taken out of a group',
    by: ['removeGroupMember'],
  },
  'role.created': {
    target: 'role',
    detail: ['name'],
    sentence: 'A custom role was made',
    by: ['createRole'],
  },
  'role.updated': {
    target: 'role',
    detail: ['name'],
    sentence: 'Name or description changed',
    by: ['updateRole'],
  },
  'role.deleted': {
    target: 'role',
    detail: ['name'],
    sentence: 'It went, with its assignments',
    by: ['deleteRole'],
  },
  'role.member_added': {
    target: 'role',
    detail: ['name', 'user_id'],
    sentence: 'A member was given a custom role',
    by: ['addRoleMember'],
  },
  'role.member_removed': {
    target: 'role',
    detail: ['name', 'user_id'],
    sentence: 'A custom role was taken from a member',
    by: ['removeRoleMember'],
  },
  'role.action_added': {
    target: 'role',
    detail: ['name', 'service_name', 'action'],
    sentence: 'A custom role allows one more action',
    by: ['addRoleActions'],
  },
  'role.action_removed': {
    target: 'role',
    detail: ['name', 'service_name', 'action'],
    sentence: 'A custom role allows one action less',
    by: ['removeRoleAction'],
  },
  'service_action.registered': {
    target: 'service_action',
    detail: ['service_name', 'name'],
    sentence: 'A service named an action for the first time',
    by: ['registerActions'],
  },
  'service_action.updated': {
    target: 'service_action',
    detail: ['service_name', 'name'],
    sentence: 'A service described an action anew',
    by: ['registerActions'],
  },
  'service_app.created': {
    target: 'service_app',
    detail: ['name', 'service_name', 'key_prefix'],
    sentence: 'A backend service was given its first key',
    by: ['createServiceApp'],
  },
  'service_app.updated': {
    target: 'service_app',
    detail: ['name', 'service_name'],
    sentence: 'Its label changed',
    by: ['updateServiceApp'],
  },
  'service_app.activated': {
    target: 'service_app',
    detail: ['name', 'service_name'],
    sentence: 'Its keys are let in again',
    by: ['updateServiceApp'],
  },
  'service_app.deactivated': {
    target: 'service_app',
    detail: ['name', 'service_name'],
    sentence: 'Its keys are refused',
    by: ['updateServiceApp'],
  },
  'service_app.key_rotated': {
    target: 'service_app',
    detail: ['name', 'service_name', 'key_prefix', 'overlap_seconds'],
    sentence: 'It has a new key, and the older ones an end',
    by: ['rotateServiceApp'],
  },
  'service_app.deleted': {
    target: 'service_app',
    detail: ['name', 'service_name'],
    sentence: 'It went, with its keys',
    by: ['deleteServiceApp'],
  },
  'client_app.created': {
    target: 'client_app',
    detail: ['name', 'redirect_uris'],
    sentence: 'An application was registered with its addresses',
    by: ['createClientApp'],
  },
  'client_app.updated': {
    target: 'client_app',
    detail: ['name', 'redirect_uris'],
    sentence: 'Name or addresses changed',
    by: ['updateClientApp'],
  },
  'client_app.activated': {
    target: 'client_app',
    detail: ['name'],
    sentence: 'Its addresses receive codes again',
    by: ['updateClientApp'],
  },
  'client_app.deactivated': {
    target: 'client_app',
    detail: ['name'],
    sentence: 'Its addresses receive codes no more',
    by: ['updateClientApp'],
  },
  'client_app.deleted': {
    target: 'client_app',
    detail: ['name'],
    sentence: 'It went, with its addresses',
    by: ['deleteClientApp'],
  },
  'permission.visibility_changed': {
    target: 'permission',
    detail: [...resource, 'from', 'to'],
    sentence: 'A resource opened to its workspace, or closed',
    by: ['updateVisibility'],
  },
  'permission.shared': {
    target: 'permission',
    detail: share,
    sentence: 'A user or a group was given a resource, or another permission on it',
    by: ['share'],
  },
  'permission.share_revoked': {
    target: 'permission',
    detail: share,
    sentence: 'What was shared was taken back',
    by: ['revokeShare'],
  },
} as const

export type ActivityEventName = keyof typeof activityEvents

/** The payload that goes with an occurrence, by its row of the table. */
export type ActivityDetail<Name extends ActivityEventName> = Record<
  (typeof activityEvents)[Name]['detail'][number],
  string
>
