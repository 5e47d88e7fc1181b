/** The fields that identify a resource in the detail of an entry. */
const resourceFields = ['service_name', 'resource_type', 'resource_id'] as const

/** The fields that identify a share in the detail of an entry. */
const shareFields = [...resourceFields, 'grantee_type', 'grantee_id', 'permission'] as const

/**
 * The events of the activity log by their action: the type of the target, the fields of the detail,
 * a description, and the handlers that record the event. `alsoRecordedBy` names other code that
 * records it. docs/activity-log.md is generated from this table.
 */
export const activityEvents = {
  'user.signed_in': {
    target: 'user',
    detail: ['provider'],
    description: 'A user signed in to a client app through an identity provider',
    recordedBy: ['completeLogin'],
  },
  'user.sign_in_failed': {
    target: 'user',
    detail: ['provider', 'error'],
    description:
      'A sign-in failed after the identity provider redirected back; the user is not identified',
    recordedBy: ['completeLogin'],
  },
  'admin.signed_in': {
    target: 'user',
    detail: ['provider'],
    description: 'An administrator signed in to the admin console',
    recordedBy: ['completeAdminLogin'],
  },
  'admin.sign_in_failed': {
    target: 'user',
    detail: ['provider', 'error'],
    description:
      'A sign-in to the admin console failed after the identity provider redirected back; the user is not identified',
    recordedBy: ['completeAdminLogin'],
  },
  'admin.access_refused': {
    target: 'user',
    detail: ['provider'],
    description: 'A user who is not an administrator tried to sign in to the admin console',
    recordedBy: ['completeAdminLogin'],
  },
  'user.account_linked': {
    target: 'user',
    detail: ['provider', 'subject'],
    description: 'A first sign-in with an account linked it to the user with its e-mail address',
    recordedBy: ['completeLogin', 'completeAdminLogin'],
  },
  'user.account_unlinked': {
    target: 'user',
    detail: ['provider', 'subject'],
    description: 'A user unlinked an account, which ended the other sessions of its provider',
    recordedBy: ['unlinkAccount'],
  },
  'user.link_refused': {
    target: 'user',
    detail: ['provider', 'subject'],
    description:
      'A sign-in with an unknown account was refused, because the user with its e-mail address has other accounts',
    recordedBy: ['completeLogin', 'completeAdminLogin'],
  },
  'user.signed_out': {
    target: 'user',
    detail: [],
    description: 'A user signed out, which ended all of their sessions',
    recordedBy: ['logout'],
  },
  'admin.signed_out': {
    target: 'user',
    detail: [],
    description: 'An administrator signed out of the admin console',
    recordedBy: ['adminLogout'],
  },
  'session.ended': {
    target: 'session',
    detail: ['user_id'],
    description:
      'A user ended a session or all of their other sessions, or an administrator did: one entry for each',
    recordedBy: ['endSession', 'endOtherSessions', 'endUserSession', 'endUserSessions'],
  },
  'session.revoked': {
    target: 'session',
    detail: ['user_id', 'client_id'],
    description: 'A client app revoked a refresh token, which ended its session',
    recordedBy: ['revokeToken'],
  },
  'session.browser_ended': {
    target: 'session',
    detail: ['user_id'],
    description:
      'A user signed out of a browser, which ended the sessions of all client apps that began in it',
    recordedBy: ['endBrowserSession'],
  },
  'session.refresh_token_reused': {
    target: 'session',
    detail: ['user_id'],
    description: 'A refresh token was used again, which ended its session; the sender is unknown',
    recordedBy: ['refreshToken'],
  },
  'session.code_replayed': {
    target: 'session',
    detail: ['user_id'],
    description:
      'An authorization code was exchanged again, which ended its session; the sender is unknown',
    recordedBy: ['exchangeToken'],
  },
  'user.updated': {
    target: 'user',
    detail: ['email'],
    description: 'An administrator changed the name or the external_id of a user',
    recordedBy: ['updateUser', 'executeCsvImport'],
  },
  'user.renamed': {
    target: 'user',
    detail: ['from', 'to'],
    description: 'A CSV import changed the name of a user',
    recordedBy: ['executeCsvImport'],
  },
  'user.activated': {
    target: 'user',
    detail: ['email'],
    description: 'An administrator activated a user, who can sign in again',
    recordedBy: ['updateUser'],
  },
  'user.deactivated': {
    target: 'user',
    detail: ['email'],
    description: 'An administrator deactivated a user, which ended all of their sessions',
    recordedBy: ['updateUser'],
  },
  'user.promoted': {
    target: 'user',
    detail: ['email', 'by'],
    description:
      'A user became an administrator: `by` is `list` for an address of ADMIN_EMAILS, or `operator`',
    recordedBy: [],
    alsoRecordedBy: 'the `daikon` command-line tool, sign-ins with an address of ADMIN_EMAILS',
  },
  'user.demoted': {
    target: 'user',
    detail: ['email', 'by'],
    description: 'An operator revoked the administrator rights of a user',
    recordedBy: [],
    alsoRecordedBy: 'the `daikon` command-line tool',
  },
  'user.erased': {
    target: 'user',
    detail: ['by', 'workspaces', 'resources'],
    description:
      'A user was erased; counts the deleted workspaces and the resources given to another user',
    recordedBy: ['deleteUser'],
  },
  'user.exported': {
    target: 'user',
    detail: ['by'],
    description: 'All data about a user was exported',
    recordedBy: ['exportUser'],
  },
  'import.executed': {
    target: 'import',
    detail: ['rows', 'created', 'updated'],
    description:
      'An administrator imported a CSV file; the entries of its changes precede this one',
    recordedBy: ['executeCsvImport'],
  },
  'workspace.created': {
    target: 'workspace',
    detail: ['slug'],
    description:
      'A workspace was created, by a request or as the personal workspace of a first sign-in',
    recordedBy: ['createWorkspace', 'completeLogin', 'completeAdminLogin'],
  },
  'workspace.updated': {
    target: 'workspace',
    detail: ['slug'],
    description: 'The name or description of a workspace changed',
    recordedBy: ['updateWorkspace'],
  },
  'workspace.deleted': {
    target: 'workspace',
    detail: ['slug'],
    description: 'A workspace was deleted with everything in it',
    recordedBy: ['deleteWorkspace'],
  },
  'member.invited': {
    target: 'user',
    detail: ['email', 'role'],
    description: 'A user was invited to a workspace, or the role of a pending invitation changed',
    recordedBy: ['inviteMember', 'addUserToWorkspace', 'executeCsvImport'],
  },
  'member.role_changed': {
    target: 'user',
    detail: ['from', 'to'],
    description: 'The role of a member changed',
    recordedBy: ['updateMember', 'executeCsvImport'],
  },
  'member.removed': {
    target: 'user',
    detail: ['email', 'role'],
    description: 'A member left a workspace or was removed from it',
    recordedBy: ['removeMember'],
  },
  'group.created': {
    target: 'group',
    detail: ['name'],
    description: 'A group was created',
    recordedBy: ['createGroup', 'executeCsvImport'],
  },
  'group.updated': {
    target: 'group',
    detail: ['name'],
    description: 'The name or description of a group changed',
    recordedBy: ['updateGroup'],
  },
  'group.deleted': {
    target: 'group',
    detail: ['name'],
    description: 'A group was deleted with its memberships and the shares granted to it',
    recordedBy: ['deleteGroup'],
  },
  'group.member_added': {
    target: 'group',
    detail: ['name', 'user_id'],
    description: 'A member was added to a group',
    recordedBy: ['addGroupMember'],
  },
  'group.members_added': {
    target: 'group',
    detail: ['name', 'user_ids'],
    description: 'A CSV import added members to a group; one entry lists at most 100 of them',
    recordedBy: ['executeCsvImport'],
  },
  'group.member_removed': {
    target: 'group',
    detail: ['name', 'user_id'],
    description: 'A member was removed from a group',
    recordedBy: ['removeGroupMember'],
  },
  'group.child_added': {
    target: 'group',
    detail: ['name', 'child_id'],
    description: 'A group was added as a child of another group, which includes its members',
    recordedBy: ['addChildGroup'],
  },
  'group.child_removed': {
    target: 'group',
    detail: ['name', 'child_id'],
    description: 'A child was removed from a group',
    recordedBy: ['removeChildGroup'],
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
  },
  'role.member_added': {
    target: 'role',
    detail: ['name', 'user_id'],
    description: 'A custom role was assigned to a member',
    recordedBy: ['addRoleMember'],
  },
  'role.member_removed': {
    target: 'role',
    detail: ['name', 'user_id'],
    description: 'A custom role was removed from a member',
    recordedBy: ['removeRoleMember'],
  },
  'role.action_added': {
    target: 'role',
    detail: ['name', 'service_name', 'action'],
    description: 'An action was added to a custom role',
    recordedBy: ['addRoleActions'],
  },
  'role.action_removed': {
    target: 'role',
    detail: ['name', 'service_name', 'action'],
    description: 'An action was removed from a custom role',
    recordedBy: ['removeRoleAction'],
  },
  'service_action.registered': {
    target: 'service_action',
    detail: ['service_name', 'name'],
    description: 'A service registered a new action',
    recordedBy: ['registerActions'],
  },
  'service_action.updated': {
    target: 'service_action',
    detail: ['service_name', 'name'],
    description: 'A service changed the description of an action',
    recordedBy: ['registerActions'],
  },
  'service_app.created': {
    target: 'service_app',
    detail: ['name', 'service_name', 'key_prefix'],
    description: 'A service app was created with its first key',
    recordedBy: ['createServiceApp'],
  },
  'service_app.updated': {
    target: 'service_app',
    detail: ['name', 'service_name'],
    description: 'The name of a service app changed',
    recordedBy: ['updateServiceApp'],
  },
  'service_app.activated': {
    target: 'service_app',
    detail: ['name', 'service_name'],
    description: 'A service app was activated; its keys are accepted again',
    recordedBy: ['updateServiceApp'],
  },
  'service_app.deactivated': {
    target: 'service_app',
    detail: ['name', 'service_name'],
    description: 'A service app was deactivated; its keys are rejected',
    recordedBy: ['updateServiceApp'],
  },
  'service_app.key_rotated': {
    target: 'service_app',
    detail: ['name', 'service_name', 'key_prefix', 'overlap_seconds'],
    description: 'A service app received a new key; its previous keys expire after the overlap',
    recordedBy: ['rotateServiceApp'],
  },
  'service_app.ended_key_used': {
    target: 'service_app',
    detail: ['name', 'service_name', 'key_prefix', 'cause'],
    description:
      'A key was used after its end, at most one entry an hour for each key: `cause` is `expired`, also after a rotation, or `deactivated` for the key of an inactive app',
    recordedBy: [],
    alsoRecordedBy: 'the server, within a minute',
  },
  'service_app.deleted': {
    target: 'service_app',
    detail: ['name', 'service_name'],
    description: 'A service app was deleted with its keys',
    recordedBy: ['deleteServiceApp'],
  },
  'client_app.created': {
    target: 'client_app',
    detail: ['name', 'type', 'redirect_uris'],
    description: 'A client app was created with its redirect URIs',
    recordedBy: ['createClientApp'],
  },
  'client_app.updated': {
    target: 'client_app',
    detail: ['name', 'type', 'redirect_uris'],
    description: 'The name, the type or the URLs of a client app changed',
    recordedBy: ['updateClientApp'],
  },
  'client_app.secret_rotated': {
    target: 'client_app',
    detail: ['name', 'secret_prefix', 'overlap_seconds'],
    description:
      'A confidential client app received a new secret; its previous secrets expire after the overlap',
    recordedBy: ['rotateClientApp'],
  },
  'client_app.activated': {
    target: 'client_app',
    detail: ['name'],
    description: 'A client app was activated; users can sign in to it again',
    recordedBy: ['updateClientApp'],
  },
  'client_app.deactivated': {
    target: 'client_app',
    detail: ['name'],
    description: 'A client app was deactivated; users can no longer sign in to it',
    recordedBy: ['updateClientApp'],
  },
  'client_app.deleted': {
    target: 'client_app',
    detail: ['name'],
    description: 'A client app was deleted with its redirect URIs',
    recordedBy: ['deleteClientApp'],
  },
  'permission.visibility_changed': {
    target: 'permission',
    detail: [...resourceFields, 'from', 'to'],
    description: 'The visibility of a resource changed',
    recordedBy: ['updateVisibility'],
  },
  'permission.owner_changed': {
    target: 'permission',
    detail: [...resourceFields, 'from', 'to'],
    description: 'A resource was transferred to another owner',
    recordedBy: ['transferOwnership'],
  },
  'permission.shared': {
    target: 'permission',
    detail: [...shareFields, 'expires_at'],
    description:
      'A resource was shared with a user or group, or the permission or expiry of a share changed; `expires_at` is `never` for a share that does not expire',
    recordedBy: ['share'],
  },
  'permission.share_expired': {
    target: 'permission',
    detail: [...shareFields, 'expires_at'],
    description: 'A share expired; recorded within a minute, or when the resource is shared again',
    recordedBy: [],
    alsoRecordedBy: 'the server',
  },
  'permission.share_revoked': {
    target: 'permission',
    detail: shareFields,
    description: 'A share was revoked',
    recordedBy: ['revokeShare'],
  },
  'permission.parent_changed': {
    target: 'permission',
    detail: [...resourceFields, 'from', 'to', 'inherits'],
    description:
      'A resource was moved with everything below it, or began or ceased to inherit; `from` and `to` are the type and id of the parent, or `none`',
    recordedBy: ['updateParent'],
  },
  'permission.tree_unregistered': {
    target: 'permission',
    detail: [...resourceFields, 'descendants', 'shares'],
    description:
      'A resource was unregistered with everything below it; the number of further resources and of all their shares',
    recordedBy: ['unregister'],
  },
  'activity.pruned': {
    target: 'activity',
    detail: ['entries', 'through', 'hash'],
    description:
      'Entries older than ACTIVITY_RETENTION_DAYS were deleted; the hash chain continues from the recorded hash',
    recordedBy: [],
    alsoRecordedBy: 'the server',
  },
} as const

/** Returns whether a field of the detail is personal data, which can be erased from the log. */
export function isPersonalField(action: string, field: string): boolean {
  if (field === 'email' || field === 'subject') return true
  if (field === 'slug') return action.startsWith('workspace.')
  return action === 'user.renamed' && (field === 'from' || field === 'to')
}

export type ActivityEventName = keyof typeof activityEvents

/** The detail of an event. */
export type ActivityDetail<Name extends ActivityEventName> = Record<
  (typeof activityEvents)[Name]['detail'][number],
  string
>
