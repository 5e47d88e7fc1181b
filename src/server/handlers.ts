import type { AccessServiceServer } from '../../gen/daikon/v1/access.ts'
import type { ActivityServiceServer } from '../../gen/daikon/v1/activity.ts'
import type { AdminServiceServer } from '../../gen/daikon/v1/admin.ts'
import type { AuthServiceServer } from '../../gen/daikon/v1/auth.ts'
import type { ConnectionServiceServer } from '../../gen/daikon/v1/connections.ts'
import type { GroupServiceServer } from '../../gen/daikon/v1/groups.ts'
import type { OAuthServiceServer } from '../../gen/daikon/v1/oauth.ts'
import type { PermissionServiceServer } from '../../gen/daikon/v1/permissions.ts'
import type { RoleServiceServer } from '../../gen/daikon/v1/roles.ts'
import type { ScimServiceServer } from '../../gen/daikon/v1/scim.ts'
import type { ServiceAccountServiceServer } from '../../gen/daikon/v1/service_accounts.ts'
import type { UserServiceServer } from '../../gen/daikon/v1/users.ts'
import type { WorkspaceServiceServer } from '../../gen/daikon/v1/workspaces.ts'
import type { AuthorizationServer } from '../../gen/envoy/service/auth/v3/external_auth.ts'
import { listActivity } from '../activity/activity-log.ts'
import type { LiveFeed } from '../activity/feed/live-feed.ts'
import { createWatchActivity } from '../activity/watch.ts'
import { createWatchChanges } from '../activity/watch-changes.ts'
import { updateUsers } from '../admin/bulk-users.ts'
import {
  createClientApp,
  deleteClientApp,
  getClientApp,
  listClientApps,
  rotateClientApp,
  updateClientApp,
} from '../admin/client-apps.ts'
import { deleteUser } from '../admin/delete-user.ts'
import { exportUser } from '../admin/export-user.ts'
import { executeCsvImport, previewCsvImport } from '../admin/import/import.ts'
import {
  createManagementApp,
  deleteManagementApp,
  listManagementApps,
  rotateManagementApp,
  updateManagementApp,
} from '../admin/management-apps.ts'
import { lookUpNames, lookUpWorkspaceNames } from '../admin/names.ts'
import { searchNames } from '../admin/search-names.ts'
import {
  createServiceApp,
  deleteServiceApp,
  getServiceApp,
  listServiceApps,
  rotateServiceApp,
  updateServiceApp,
} from '../admin/service-apps.ts'
import { getStats } from '../admin/stats.ts'
import { endUserSession, endUserSessions } from '../admin/user-sessions.ts'
import { setAdministrator, updateUser } from '../admin/user-status.ts'
import { getUser, listUsers } from '../admin/users.ts'
import type { ConnectionProviders } from '../connections/connection-providers.ts'
import {
  createConnection,
  deleteConnection,
  getConnection,
  listConnections,
} from '../connections/connections.ts'
import { discoverIssuer } from '../connections/discover-issuer.ts'
import type { FindDomainProof } from '../connections/domain-proof.ts'
import { verifyConnectionDomain } from '../connections/domain-verification.ts'
import { updateConnection } from '../connections/update-connection.ts'
import type { Handler, RequestContext } from '../core/request-context.ts'
import type { SecretBox } from '../core/secret-box.ts'
import type { Database } from '../database/database.ts'
import { createAuthorizeAction } from '../gateway/authorize-action.ts'
import { createAuthorizeEnvoy } from '../gateway/authorize-envoy.ts'
import { createAuthorizeForwarded } from '../gateway/authorize-forwarded.ts'
import { createLoadRoutes } from '../gateway/load-routes.ts'
import { listRoutes, putRoutes } from '../gateway/routes.ts'
import {
  adminLogout,
  beginAdminLogin,
  completeAdminLogin,
  getAdminMe,
} from '../identity/admin-login.ts'
import type { FindApiKey } from '../identity/api-keys.ts'
import { exchangeToken, listCodeWorkspaces } from '../identity/authorization-codes.ts'
import type { IdentityDependencies } from '../identity/identity-dependencies.ts'
import { listAccounts, unlinkAccount } from '../identity/linked-accounts.ts'
import { beginLogin, completeLogin } from '../identity/login.ts'
import { authorize } from '../identity/oauth/authorize.ts'
import { introspectToken } from '../identity/oauth/introspect.ts'
import { openInvitation } from '../identity/oauth/invitation-page.ts'
import { endBrowserSession } from '../identity/oauth/logout.ts'
import { revokeToken } from '../identity/oauth/revoke.ts'
import { issueToken } from '../identity/oauth/token-endpoint.ts'
import { getUserInfo } from '../identity/oauth/user-info.ts'
import { refreshToken, switchWorkspace } from '../identity/refresh-families.ts'
import { endOtherSessions, endSession, listSessions, logout } from '../identity/sessions.ts'
import { createVerifyAccessToken, type TokenMemory } from '../identity/token-memory.ts'
import { getMe, updateMe } from '../identity/users.ts'
import { getConfiguration, getKeySet } from '../identity/well-known.ts'
import type { OutboundHosts } from '../outbound/outbound-hosts.ts'
import { accessible } from '../permissions/accessible.ts'
import {
  createListGrantedActions,
  listServiceActions,
  registerActions,
} from '../permissions/actions.ts'
import { updateAttributes } from '../permissions/attributes.ts'
import { check, checkStream } from '../permissions/check.ts'
import { updateResource } from '../permissions/display-name.ts'
import type { Engine } from '../permissions/engine/engine.ts'
import type { AccessDependencies } from '../permissions/evaluate/access-dependencies.ts'
import { createGetAccessConfiguration } from '../permissions/evaluate/configuration.ts'
import { createEvaluate, createEvaluateBatch } from '../permissions/evaluate/evaluate.ts'
import {
  createExplainPermission,
  createListPermissionSubjects,
} from '../permissions/evaluate/permission-subjects.ts'
import { createSearchActions } from '../permissions/evaluate/search-actions.ts'
import { createSearchResources } from '../permissions/evaluate/search-resources.ts'
import { createSearchSubjects } from '../permissions/evaluate/search-subjects.ts'
import { createWhatIf } from '../permissions/evaluate/what-if.ts'
import { evaluateCondition } from '../permissions/evaluate-condition.ts'
import { createFindLink } from '../permissions/find-link.ts'
import { createLink, deleteLink, listLinks } from '../permissions/links.ts'
import { getResource, listPermissions } from '../permissions/list-resources.ts'
import { updateParent } from '../permissions/parents.ts'
import { register, registerBatch } from '../permissions/register.ts'
import {
  deleteResourceType,
  listAllResourceTypes,
  listResourceTypes,
  putResourceType,
} from '../permissions/resource-type-declarations.ts'
import { revokeShare, share } from '../permissions/share.ts'
import { shareBatch } from '../permissions/share-batch.ts'
import { transferOwnership } from '../permissions/transfer.ts'
import { unregister } from '../permissions/unregister.ts'
import { updateVisibility } from '../permissions/visibility.ts'
import type { HandlersOf, HandlerTable } from '../rpc/handler.ts'
import {
  getScimConfiguration,
  getScimResourceType,
  getScimSchema,
  listScimResourceTypes,
  listScimSchemas,
} from '../scim/discovery.ts'
import {
  createScimGroup,
  deleteScimGroup,
  getScimGroup,
  listScimGroups,
  patchScimGroup,
  replaceScimGroup,
} from '../scim/groups.ts'
import { searchScim, searchScimGroups, searchScimUsers } from '../scim/search.ts'
import { confirmScim, createToken, deleteToken, getScimToken } from '../scim/token.ts'
import {
  createScimUser,
  deleteScimUser,
  getScimUser,
  listScimUsers,
  patchScimUser,
  replaceScimUser,
} from '../scim/users.ts'
import {
  listWebhookDeliveries,
  retryWebhookDelivery,
  testWebhook,
} from '../webhooks/webhook-deliveries.ts'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhook,
  updateWebhook,
} from '../webhooks/webhooks.ts'
import { createKey, deleteKey, listApiKeys } from '../workspaces/api-keys.ts'
import { addMembers, updateMembers } from '../workspaces/bulk-members.ts'
import { addChildGroup, listChildGroups, removeChildGroup } from '../workspaces/child-groups.ts'
import {
  addRoleActions,
  listRoleActions,
  removeRoleAction,
} from '../workspaces/custom-role-actions.ts'
import { addRoleGroup, listRoleGroups, removeRoleGroup } from '../workspaces/custom-role-groups.ts'
import {
  addRoleMember,
  listRoleMembers,
  removeRoleMember,
} from '../workspaces/custom-role-members.ts'
import {
  createRole,
  deleteRole,
  getRole,
  listRoles,
  updateRole,
} from '../workspaces/custom-roles.ts'
import { addGroupMember, listGroupMembers, removeGroupMember } from '../workspaces/group-members.ts'
import {
  createGroup,
  deleteGroup,
  getGroup,
  listGroups,
  updateGroup,
} from '../workspaces/groups.ts'
import type { InvitationOptions } from '../workspaces/invitation-links.ts'
import { addUserToWorkspace, inviteMember } from '../workspaces/invitations.ts'
import { listMembers, removeMember, updateMember } from '../workspaces/members.ts'

import {
  createServiceAccount,
  deleteServiceAccount,
  getServiceAccount,
  listServiceAccounts,
  updateServiceAccount,
} from '../workspaces/service-accounts.ts'
import { giveSupportAccess } from '../workspaces/support-access.ts'
import { listWorkspaceActivity } from '../workspaces/workspace-activity.ts'
import {
  createWorkspace,
  deleteWorkspace,
  getWorkspace,
  listAllWorkspaces,
  listWorkspacePage,
  listWorkspaces,
  updateWorkspace,
} from '../workspaces/workspaces.ts'
import type { Config } from './config.ts'
import type { Stores } from './stores.ts'

/** The dependencies of handlers, in addition to the context of a call. */
type HandlerDependencies = IdentityDependencies & {
  connectionProviders: ConnectionProviders
  tokenMemory: TokenMemory
  findApiKey: FindApiKey
  database: Pick<Database, 'reads'>
  engine: Engine
  feed: LiveFeed
  settings: Config
  invitations: InvitationOptions
  /** Called with the ID of each link that a request names as its subject. */
  onLinkUsed(id: string): void
  /** The hosts that may receive logout tokens. */
  backchannelHosts: OutboundHosts
  /** The hosts that may receive events. */
  webhookHosts: OutboundHosts
  findDomainProof: FindDomainProof
  secretBox: SecretBox
  /** Wakes up a node to attempt the due deliveries of a webhook. */
  wakeWebhook(id: string): void
}

/** Returns the handler of every method. A missing one is a compile-time error. */
export function createHandlers({
  tokenMemory,
  findApiKey,
  database,
  engine,
  feed,
  invitations,
  onLinkUsed,
  backchannelHosts,
  webhookHosts,
  findDomainProof,
  secretBox,
  wakeWebhook,
  ...identity
}: HandlerDependencies): HandlerTable {
  const { connectionProviders, settings } = identity
  const { BASE_URL: baseUrl } = settings
  const bind = bindContext({
    findApiKey,
    identity,
    settings,
    baseUrl,
    debug: settings.DEBUG,
    keysRequired: settings.SERVICE_KEYS_REQUIRED,
    quotas: settings,
    invitations,
    backchannelHosts,
    webhookHosts,
    connectionProviders,
    findDomainProof,
    secretBox,
    wakeWebhook,
  })
  const findLink = createFindLink(engine, onLinkUsed)
  const verifyAccessToken = createVerifyAccessToken(tokenMemory, identity.clock)
  const access: AccessDependencies = { engine, verifyAccessToken, findApiKey, findLink }
  const authorizeAction = createAuthorizeAction(engine)
  const authorizeForwarded = createAuthorizeForwarded(createLoadRoutes(database.reads))
  const connections = {
    listConnections: bind(listConnections),
    createConnection: bind(createConnection),
    discoverIssuer: bind(discoverIssuer),
    getConnection: bind(getConnection),
    updateConnection: bind(updateConnection),
    deleteConnection: bind(deleteConnection),
    verifyConnectionDomain: bind(verifyConnectionDomain),
  }
  return {
    AccessService: {
      evaluate: createEvaluate(access),
      evaluateBatch: createEvaluateBatch(access),
      searchSubjects: createSearchSubjects(access),
      searchResources: createSearchResources(access),
      searchActions: createSearchActions(access),
      authorizeAction,
      authorizeForwarded,
      getAccessConfiguration: createGetAccessConfiguration(baseUrl),
    } satisfies HandlersOf<AccessServiceServer, Stores>,
    Authorization: {
      check: createAuthorizeEnvoy({ action: authorizeAction, forwarded: authorizeForwarded }),
    } satisfies HandlersOf<AuthorizationServer, Stores>,
    AdminService: {
      getStats: bind(getStats),
      lookUpNames,
      searchNames,
      listActivity,
      // Users.
      listUsers,
      getUser,
      updateUser: bind(updateUser),
      updateUsers: bind(updateUsers),
      setAdministrator,
      deleteUser,
      exportUser,
      endUserSession,
      endUserSessions,
      addUserToWorkspace: bind(addUserToWorkspace),
      // Workspaces, members and groups.
      listWorkspaces: listWorkspacePage,
      createWorkspace: bind(createWorkspace),
      listAllWorkspaces,
      getWorkspace,
      updateWorkspace,
      deleteWorkspace,
      listMembers,
      inviteMember: bind(inviteMember),
      giveSupportAccess,
      updateMember,
      updateMembers,
      addMembers: bind(addMembers),
      removeMember,
      listGroups,
      createGroup: bind(createGroup),
      getGroup,
      updateGroup,
      deleteGroup,
      listGroupMembers,
      addGroupMember,
      removeGroupMember,
      addChildGroup,
      listChildGroups,
      removeChildGroup,
      // Resource permissions.
      listPermissions,
      getPermission: getResource,
      explainPermission: createExplainPermission(access),
      whatIf: createWhatIf(access),
      listPermissionSubjects: createListPermissionSubjects(access),
      evaluateCondition,
      updateVisibility,
      updateAttributes,
      transferOwnership,
      updateParent,
      share: bind(share),
      revokeShare,
      createLink: bind(createLink),
      listLinks,
      deleteLink,
      // Resource types, custom roles, service actions and apps.
      listResourceTypes: listAllResourceTypes,
      putResourceType,
      deleteResourceType,
      listServiceActions,
      registerActions,
      listRoles,
      createRole,
      getRole,
      updateRole,
      deleteRole,
      listRoleActions,
      addRoleActions,
      removeRoleAction,
      listRoleMembers,
      addRoleMember,
      listRoleGroups,
      addRoleGroup,
      removeRoleGroup,
      removeRoleMember,
      listServiceAccounts,
      createServiceAccount: bind(createServiceAccount),
      getServiceAccount,
      updateServiceAccount,
      deleteServiceAccount,
      listApiKeys,
      createKey,
      deleteKey,
      ...connections,
      listServiceApps,
      getServiceApp,
      createServiceApp: bind(createServiceApp),
      updateServiceApp: bind(updateServiceApp),
      deleteServiceApp: bind(deleteServiceApp),
      rotateServiceApp: bind(rotateServiceApp),
      listClientApps,
      getClientApp,
      createClientApp: bind(createClientApp),
      updateClientApp: bind(updateClientApp),
      rotateClientApp,
      deleteClientApp,
      listManagementApps,
      createManagementApp,
      updateManagementApp,
      rotateManagementApp,
      deleteManagementApp,
      // Webhooks.
      listWebhooks,
      createWebhook: bind(createWebhook),
      getWebhook,
      updateWebhook: bind(updateWebhook),
      deleteWebhook,
      rotateWebhook: bind(rotateWebhook),
      testWebhook: bind(testWebhook),
      listWebhookDeliveries,
      retryWebhookDelivery: bind(retryWebhookDelivery),
      // CSV import.
      previewCsvImport: bind(previewCsvImport),
      executeCsvImport: bind(executeCsvImport),
    } satisfies HandlersOf<AdminServiceServer, Stores>,
    AuthService: {
      beginLogin: bind(beginLogin),
      completeLogin: bind(completeLogin),
      listCodeWorkspaces,
      exchangeToken: bind(exchangeToken),
      refreshToken: bind(refreshToken),
      switchWorkspace: bind(switchWorkspace),
      logout,
      beginAdminLogin: bind(beginAdminLogin),
      completeAdminLogin: bind(completeAdminLogin),
      adminLogout,
      getAdminMe,
      getKeySet: bind(getKeySet),
      getConfiguration: bind(getConfiguration),
    } satisfies HandlersOf<AuthServiceServer, Stores>,
    OAuthService: {
      authorize: bind(authorize),
      openInvitation: bind(openInvitation),
      issueToken: bind(issueToken),
      getUserInfo,
      revokeToken: bind(revokeToken),
      introspectToken: bind(introspectToken),
      endBrowserSession: bind(endBrowserSession),
    } satisfies HandlersOf<OAuthServiceServer, Stores>,
    PermissionService: {
      check,
      checkStream,
      accessible,
      accessibleStream: accessible,
      share: bind(share),
      register: bind(register),
      shareBatch: bind(shareBatch),
      registerBatch: bind(registerBatch),
      updateVisibility,
      updateResource,
      transferOwnership,
      updateParent,
      updateAttributes,
      revokeShare,
      createLink: bind(createLink),
      listLinks,
      deleteLink,
      getResource,
      unregister,
      registerActions,
      listGrantedActions: createListGrantedActions(database.reads),
      putResourceType,
      listResourceTypes,
      deleteResourceType,
      putRoutes,
      listRoutes,
    } satisfies HandlersOf<PermissionServiceServer, Stores>,
    UserService: {
      getMe,
      updateMe,
      checkMyPermissions: check,
      listMyAccessibleResources: accessible,
      watchChanges: createWatchChanges(feed),
      listSessions,
      endSession,
      endOtherSessions,
      listAccounts,
      unlinkAccount,
    } satisfies HandlersOf<UserServiceServer, Stores>,
    WorkspaceService: {
      createWorkspace: bind(createWorkspace),
      listWorkspaces,
      getWorkspace,
      updateWorkspace,
      deleteWorkspace,
      listMembers,
      inviteMember: bind(inviteMember),
      updateMember,
      updateMembers,
      removeMember,
      getScimToken,
      createScimToken: createToken,
      deleteScimToken: deleteToken,
      confirmScim,
    } satisfies HandlersOf<WorkspaceServiceServer, Stores>,
    GroupService: {
      createGroup: bind(createGroup),
      listGroups,
      getGroup,
      updateGroup,
      deleteGroup,
      addGroupMember,
      listGroupMembers,
      removeGroupMember,
      addChildGroup,
      listChildGroups,
      removeChildGroup,
    } satisfies HandlersOf<GroupServiceServer, Stores>,
    RoleService: {
      listServiceActions,
      listRoles,
      createRole,
      getRole,
      updateRole,
      deleteRole,
      listRoleActions,
      addRoleActions,
      removeRoleAction,
      listRoleMembers,
      addRoleMember,
      removeRoleMember,
      listRoleGroups,
      addRoleGroup,
      removeRoleGroup,
    } satisfies HandlersOf<RoleServiceServer, Stores>,
    ScimService: {
      getScimConfiguration: bind(getScimConfiguration),
      listScimResourceTypes: bind(listScimResourceTypes),
      getScimResourceType: bind(getScimResourceType),
      listScimSchemas: bind(listScimSchemas),
      getScimSchema: bind(getScimSchema),
      listScimUsers: bind(listScimUsers),
      searchScim: bind(searchScim),
      searchScimGroups: bind(searchScimGroups),
      searchScimUsers: bind(searchScimUsers),
      createScimUser: bind(createScimUser),
      getScimUser: bind(getScimUser),
      replaceScimUser: bind(replaceScimUser),
      patchScimUser: bind(patchScimUser),
      deleteScimUser: bind(deleteScimUser),
      listScimGroups: bind(listScimGroups),
      createScimGroup: bind(createScimGroup),
      getScimGroup: bind(getScimGroup),
      replaceScimGroup: bind(replaceScimGroup),
      patchScimGroup: bind(patchScimGroup),
      deleteScimGroup: bind(deleteScimGroup),
    } satisfies HandlersOf<ScimServiceServer, Stores>,
    ServiceAccountService: {
      listServiceAccounts,
      createServiceAccount: bind(createServiceAccount),
      getServiceAccount,
      updateServiceAccount,
      deleteServiceAccount,
      listApiKeys,
      createKey,
      deleteKey,
    } satisfies HandlersOf<ServiceAccountServiceServer, Stores>,
    ConnectionService: connections satisfies HandlersOf<ConnectionServiceServer, Stores>,
    ActivityService: {
      watch: createWatchActivity(feed),
      listWorkspaceActivity,
      lookUpWorkspaceNames,
    } satisfies HandlersOf<ActivityServiceServer, Stores>,
  }
}

/** Returns a function that adds `dependencies` to the context of a handler. */
function bindContext<Dependencies extends object>(dependencies: Dependencies) {
  return <Request, Response>(
    handler: (
      context: RequestContext<Stores> & Dependencies,
      request: Request,
    ) => Promise<Response>,
  ): Handler<Request, Response, Stores> =>
    (context, request) =>
      handler({ ...context, ...dependencies }, request)
}
