/** The fields that identify a resource in the detail of an entry. */
const resourceFields = ['service_name', 'resource_type', 'resource_id'] as const

/** The fields that identify a share in the detail of an entry. */
const shareFields = [...resourceFields, 'grantee_type', 'grantee_id', 'permission'] as const

/** The fields that identify a link in the detail of an entry. */
const linkFields = [...resourceFields, 'link_id', 'permission', 'expires_at'] as const

/** The settings of a connection in the detail of an entry. */
const connectionFields = [
  'name',
  'issuer',
  'client_id',
  'domains',
  'default_role',
  'is_active',
  'enforced',
  'break_glass',
] as const

/** The settings of a client app in the detail of an entry. */
const clientAppFields = [
  'name',
  'type',
  'pkce_required',
  'redirect_uris',
  'workspace',
  'popup_sign_in',
  'service_account',
  'keys',
] as const

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
  'user.email_changed': {
    target: 'user',
    detail: ['provider', 'reason', 'keep_sign_in'],
    description:
      'The provider of a user’s only account had verified another address at a sign-in (`provider`), or an administrator corrected the address (`reason`, `keep_sign_in`)',
    recordedBy: ['completeLogin', 'completeAdminLogin', 'updateUser'],
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
      'Sign-in refused: a user with this e-mail address already signs in with other accounts',
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
      'A user or an administrator ended one or more sessions; one entry for each session',
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
      'A user became an administrator: `by` is `list` for an address of ADMIN_EMAILS, `operator` or `console`',
    recordedBy: ['setAdministrator'],
    alsoRecordedBy: 'the `daikon` command-line tool, sign-ins with an address of ADMIN_EMAILS',
  },
  'user.demoted': {
    target: 'user',
    detail: ['email', 'by'],
    description: "An operator or another administrator revoked a user's administrator rights",
    recordedBy: ['setAdministrator'],
    alsoRecordedBy: 'the `daikon` command-line tool',
  },
  'user.erased': {
    target: 'user',
    detail: ['by', 'workspaces', 'resources', 'services'],
    description:
      'A user was erased; counts the deleted workspaces and the resources given to another user, and lists the services with resources in workspaces of the user, or `none`',
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
    detail: ['email', 'role', 'expires_at'],
    description:
      'A user was invited to a workspace, or the role or end of a pending invitation changed; `expires_at` is `never` for a membership that does not end',
    recordedBy: ['inviteMember', 'addUserToWorkspace', 'executeCsvImport'],
  },
  'member.role_changed': {
    target: 'user',
    detail: ['from', 'to'],
    description: 'The role of a member changed',
    recordedBy: ['updateMember', 'executeCsvImport'],
    alsoRecordedBy: 'SCIM, sign-ins by a connection with a `role_claim`',
  },
  'member.expiry_changed': {
    target: 'user',
    detail: ['from', 'to'],
    description: 'The end of a membership changed; `never` if it does not end',
    recordedBy: ['updateMember'],
  },
  'member.expired': {
    target: 'user',
    detail: ['email', 'role', 'expires_at'],
    description: 'A membership ended; recorded within a minute, or when the user is invited again',
    recordedBy: [],
    alsoRecordedBy: 'the server',
  },
  'member.removed': {
    target: 'user',
    detail: ['email', 'role'],
    description: 'A member left a workspace or was removed from it',
    recordedBy: ['removeMember'],
  },
  'member.support_began': {
    target: 'user',
    detail: ['email', 'role', 'reason', 'expires_at'],
    description: 'An administrator gave a person support access, a membership that ends by itself',
    recordedBy: ['giveSupportAccess'],
  },
  'member.support_ended': {
    target: 'user',
    detail: ['email', 'role', 'reason'],
    description:
      'Support access ended; recorded within a minute of its end, or when somebody ended it',
    recordedBy: ['removeMember', 'updateWorkspace'],
    alsoRecordedBy: 'the server',
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
  },
  'group.member_added': {
    target: 'group',
    detail: ['name', 'user_id'],
    description: 'A member was added to a group',
    recordedBy: ['addGroupMember'],
    alsoRecordedBy: 'SCIM, sign-ins by a connection with a `groups_claim`',
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
    alsoRecordedBy: 'SCIM, sign-ins by a connection with a `groups_claim`',
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
  'role.group_added': {
    target: 'role',
    detail: ['name', 'group_id'],
    description: 'A custom role was assigned to a group',
    recordedBy: ['addRoleGroup'],
  },
  'role.group_removed': {
    target: 'role',
    detail: ['name', 'group_id'],
    description: 'A custom role was removed from a group',
    recordedBy: ['removeRoleGroup'],
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
  'scim.token_created': {
    target: 'workspace',
    detail: ['key_prefix'],
    description: 'An owner created the SCIM token of a workspace, which ended the previous one',
    recordedBy: ['createScimToken'],
  },
  'scim.token_deleted': {
    target: 'workspace',
    detail: ['key_prefix'],
    description: 'An owner ended the SCIM token of a workspace',
    recordedBy: ['deleteScimToken'],
  },
  'scim.confirmed': {
    target: 'workspace',
    detail: ['expires_at'],
    description: 'An owner let the directory end any number of memberships for an hour',
    recordedBy: ['confirmScim'],
  },
  'scim.user_provisioned': {
    target: 'user',
    detail: ['email', 'role'],
    description: 'A directory made a person a member of a workspace, or took over a membership',
    recordedBy: [],
    alsoRecordedBy: 'SCIM',
  },
  'scim.user_updated': {
    target: 'user',
    detail: ['email'],
    description: 'A directory changed the attributes of a person in a workspace',
    recordedBy: [],
    alsoRecordedBy: 'SCIM',
  },
  'scim.user_deprovisioned': {
    target: 'user',
    detail: ['email', 'role', 'resources'],
    description:
      'A directory ended a membership with its sessions; counts the resources that the person still owns',
    recordedBy: [],
    alsoRecordedBy: 'SCIM',
  },
  'scim.user_deleted': {
    target: 'user',
    detail: ['email'],
    description: 'A directory deleted a person from a workspace',
    recordedBy: [],
    alsoRecordedBy: 'SCIM',
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
  'service_routes.replaced': {
    target: 'service_routes',
    detail: ['service_name', 'routes', 'added', 'removed'],
    description:
      'A service replaced the routes by which gateways protect it; counts the routes, and lists up to 20 that were added and up to 20 that were removed, or `none`',
    recordedBy: ['putRoutes'],
  },
  'resource_type.declared': {
    target: 'resource_type',
    detail: [
      'service_name',
      'resource_type',
      'allow_public',
      'roles',
      'conditions',
      'requirements',
      'added',
      'removed',
    ],
    description:
      'The declaration of a resource type changed; says whether resources may be public, counts the roles, conditions and requirements, and lists up to 20 that were added and up to 20 that were removed, or `none`. What changed is in both lists',
    recordedBy: ['putResourceType', 'deleteResourceType'],
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
      'A key was used after it expired or its app was deactivated, as `cause` shows; recorded at most once an hour for each key',
    recordedBy: [],
    alsoRecordedBy: 'the server, within a minute',
  },
  'service_app.deleted': {
    target: 'service_app',
    detail: ['name', 'service_name'],
    description: 'A service app was deleted with its keys',
    recordedBy: ['deleteServiceApp'],
  },
  'connection.created': {
    target: 'connection',
    detail: connectionFields,
    description: 'A workspace was connected to an identity provider',
    recordedBy: ['createConnection'],
  },
  'connection.updated': {
    target: 'connection',
    detail: connectionFields,
    description: 'The settings or domains of a connection changed, or its secret or mapping',
    recordedBy: ['updateConnection'],
  },
  'connection.deleted': {
    target: 'connection',
    detail: ['name', 'issuer'],
    description: 'A connection was deleted, and the sessions by it ended',
    recordedBy: ['deleteConnection'],
  },
  'connection.domain_verified': {
    target: 'connection',
    detail: ['domain'],
    description: 'The TXT record of a domain was found: the connection may assert its addresses',
    recordedBy: ['verifyConnectionDomain'],
  },
  'connection.domain_failing': {
    target: 'connection',
    detail: ['domain'],
    description:
      'The TXT record of a verified domain is missing; a week later, the connection may no longer assert its addresses',
    recordedBy: [],
    alsoRecordedBy: 'the server',
  },
  'connection.domain_lapsed': {
    target: 'connection',
    detail: ['domain'],
    description:
      'The TXT record of a domain was missing for a week: the connection may no longer assert its addresses',
    recordedBy: [],
    alsoRecordedBy: 'the server',
  },
  'connection.member_joined': {
    target: 'user',
    detail: ['email', 'role', 'connection_id'],
    description: 'A person joined a workspace by signing in by its connection for the first time',
    recordedBy: [],
    alsoRecordedBy: 'sign-ins by a connection',
  },
  'connection.claims_missing': {
    target: 'connection',
    detail: ['claims', 'cure'],
    description:
      'Somebody signed in with a token that omits claims of the mapping because they have too many values, so what the claims map stayed as it was; recorded at most once a day',
    recordedBy: [],
    alsoRecordedBy: 'sign-ins by a connection',
  },
  'connection.break_glass_used': {
    target: 'user',
    detail: ['connection_id', 'provider'],
    description: 'An owner signed in to a workspace otherwise than by its enforced connection',
    recordedBy: [],
    alsoRecordedBy: 'sign-ins to a workspace with an enforced connection',
  },
  'webhook.created': {
    target: 'webhook',
    detail: ['host', 'events', 'workspace', 'is_active'],
    description: 'A webhook was created; contains the host of its URL',
    recordedBy: ['createWebhook'],
  },
  'webhook.updated': {
    target: 'webhook',
    detail: ['host', 'events', 'workspace', 'is_active'],
    description: 'A webhook changed, or was activated or deactivated by an administrator',
    recordedBy: ['updateWebhook'],
  },
  'webhook.secret_rotated': {
    target: 'webhook',
    detail: ['host', 'overlap_seconds'],
    description: 'A webhook received a new secret; its previous secret also signs for the overlap',
    recordedBy: ['rotateWebhook'],
  },
  'webhook.deactivated': {
    target: 'webhook',
    detail: ['host', 'cause'],
    description:
      'The server deactivated a webhook: `cause` is `gone` if its URL returned 410, `failing` if every attempt failed for a day',
    recordedBy: [],
    alsoRecordedBy: 'the server',
  },
  'webhook.deleted': {
    target: 'webhook',
    detail: ['host'],
    description: 'A webhook was deleted with its deliveries',
    recordedBy: ['deleteWebhook'],
  },
  'client_app.created': {
    target: 'client_app',
    detail: clientAppFields,
    description: 'A client app was created with its redirect URIs',
    recordedBy: ['createClientApp'],
  },
  'client_app.updated': {
    target: 'client_app',
    detail: clientAppFields,
    description:
      'The name, type, PKCE or popup setting, URLs, workspace, service account or keys of a client app changed',
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
  'management_app.created': {
    target: 'management_app',
    detail: ['name', 'scopes', 'secret_prefix'],
    description: 'A management app was created',
    recordedBy: ['createManagementApp'],
  },
  'management_app.updated': {
    target: 'management_app',
    detail: ['name', 'scopes'],
    description: 'The name or the scopes of a management app changed',
    recordedBy: ['updateManagementApp'],
  },
  'management_app.activated': {
    target: 'management_app',
    detail: ['name'],
    description: 'A management app was activated; it can obtain tokens again',
    recordedBy: ['updateManagementApp'],
  },
  'management_app.deactivated': {
    target: 'management_app',
    detail: ['name'],
    description: 'A management app was deactivated, which ended its tokens',
    recordedBy: ['updateManagementApp'],
  },
  'management_app.secret_rotated': {
    target: 'management_app',
    detail: ['name', 'secret_prefix', 'overlap_seconds'],
    description:
      'A management app received a new secret; its previous secrets expire after the overlap',
    recordedBy: ['rotateManagementApp'],
  },
  'management_app.deleted': {
    target: 'management_app',
    detail: ['name'],
    description: 'A management app was deleted with its secrets, which ended its tokens',
    recordedBy: ['deleteManagementApp'],
  },
  'permission.registered': {
    target: 'permission',
    detail: [...resourceFields, 'owner_id', 'visibility', 'parent'],
    description: 'A resource was registered; `parent` is the type and ID of its parent, or `none`.',
    recordedBy: ['register', 'registerBatch'],
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
    detail: [...shareFields, 'expires_at', 'condition'],
    description:
      'A resource was shared with a user or group, or the permission, role, condition or expiry of a share changed; `permission` contains the permission or the name of the role; `expires_at` is `never` for a share that does not expire; `condition` is the name of the condition with its parameters, or `none`',
    recordedBy: ['share', 'shareBatch'],
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
  'permission.link_created': {
    target: 'permission',
    detail: [...linkFields, 'condition'],
    description:
      'A link to a resource was created; `expires_at` is `never` if it does not expire; `condition` is the name of the condition with its parameters, or `none`',
    recordedBy: ['createLink'],
  },
  'permission.link_revoked': {
    target: 'permission',
    detail: linkFields,
    description: 'A link to a resource was revoked',
    recordedBy: ['deleteLink'],
  },
  'permission.link_expired': {
    target: 'permission',
    detail: linkFields,
    description: 'A link to a resource expired; recorded within a minute',
    recordedBy: [],
    alsoRecordedBy: 'the server',
  },
  'permission.parent_changed': {
    target: 'permission',
    detail: [...resourceFields, 'from', 'to', 'inherits'],
    description:
      'A resource was moved with everything below it, or its inheritance was turned on or off; `from` and `to` are the type and id of the parent, or `none`',
    recordedBy: ['updateParent'],
  },
  'permission.attributes_changed': {
    target: 'permission',
    detail: [...resourceFields, 'changed'],
    description:
      'Attributes of a resource were set or removed; `changed` names the members, without their values',
    recordedBy: ['updateAttributes'],
  },
  'permission.renamed': {
    target: 'permission',
    detail: resourceFields,
    description: 'The display name of a resource was set or removed; the name is not recorded',
    recordedBy: ['updateResource'],
  },
  'permission.unregistered': {
    target: 'permission',
    detail: [...resourceFields, 'owner_id', 'visibility', 'parent', 'shares'],
    description:
      'A resource was unregistered, which deleted its shares; its children have no parent any more; `parent` is the type and ID of its parent, or `none`; counts the shares',
    recordedBy: ['unregister'],
  },
  'permission.tree_unregistered': {
    target: 'permission',
    detail: [...resourceFields, 'descendants', 'shares'],
    description:
      'A resource was unregistered with everything below it; counts the resources below it and all deleted shares',
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
  if (field === 'email' || field === 'subject' || field === 'condition') return true
  if (field === 'slug') return action.startsWith('workspace.')
  return action === 'user.renamed' && (field === 'from' || field === 'to')
}

export type ActivityEventName = keyof typeof activityEvents

/** The detail of an event. */
export type ActivityDetail<Name extends ActivityEventName> = Name extends 'user.email_changed'
  ? { provider: string } | { reason: string; keep_sign_in: string }
  : Record<(typeof activityEvents)[Name]['detail'][number], string>
