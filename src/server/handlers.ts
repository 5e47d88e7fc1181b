import type { AccessServiceServer } from '../../gen/daikon/v1/access.ts'
import type { AdminServiceServer } from '../../gen/daikon/v1/admin.ts'
import type { AuthServiceServer } from '../../gen/daikon/v1/auth.ts'
import type { GroupServiceServer } from '../../gen/daikon/v1/groups.ts'
import type { OAuthServiceServer } from '../../gen/daikon/v1/oauth.ts'
import type { PermissionServiceServer } from '../../gen/daikon/v1/permissions.ts'
import type { UserServiceServer } from '../../gen/daikon/v1/users.ts'
import type { WorkspaceServiceServer } from '../../gen/daikon/v1/workspaces.ts'
import { listActivity } from '../activity/activity-log.ts'
import {
  createClientApp,
  deleteClientApp,
  listClientApps,
  rotateClientApp,
  updateClientApp,
} from '../admin/client-apps.ts'
import { deleteUser } from '../admin/delete-user.ts'
import { exportUser } from '../admin/export-user.ts'
import { executeCsvImport, previewCsvImport } from '../admin/import/import.ts'
import { lookUpNames } from '../admin/names.ts'
import {
  createServiceApp,
  deleteServiceApp,
  listServiceApps,
  rotateServiceApp,
  updateServiceApp,
} from '../admin/service-apps.ts'
import { getStats } from '../admin/stats.ts'
import { endUserSession, endUserSessions } from '../admin/user-sessions.ts'
import { updateUser } from '../admin/user-status.ts'
import { getUser, listUsers } from '../admin/users.ts'
import type { Quotas } from '../core/quotas.ts'
import type { Handler, RequestContext } from '../core/request-context.ts'
import type { Database } from '../database/database.ts'
import {
  adminLogout,
  beginAdminLogin,
  completeAdminLogin,
  getAdminMe,
} from '../identity/admin-login.ts'
import { exchangeToken, listCodeWorkspaces } from '../identity/authorization-codes.ts'
import type { IdentityDependencies } from '../identity/identity-dependencies.ts'
import { listAccounts, unlinkAccount } from '../identity/linked-accounts.ts'
import { beginLogin, completeLogin } from '../identity/login.ts'
import { authorize } from '../identity/oauth/authorize.ts'
import { introspectToken } from '../identity/oauth/introspect.ts'
import { endBrowserSession } from '../identity/oauth/logout.ts'
import { revokeToken } from '../identity/oauth/revoke.ts'
import { issueToken } from '../identity/oauth/token-endpoint.ts'
import { getUserInfo } from '../identity/oauth/user-info.ts'
import { refreshToken, switchWorkspace } from '../identity/refresh-families.ts'
import { endOtherSessions, endSession, listSessions, logout } from '../identity/sessions.ts'
import { getMe, updateMe } from '../identity/users.ts'
import { getConfiguration, getKeySet } from '../identity/well-known.ts'
import { createAccessible } from '../permissions/accessible.ts'
import {
  createListGrantedActions,
  listServiceActions,
  registerActions,
} from '../permissions/actions.ts'
import { check, checkStream } from '../permissions/check.ts'
import type { AccessDependencies } from '../permissions/evaluate/access-dependencies.ts'
import { createGetAccessConfiguration } from '../permissions/evaluate/configuration.ts'
import { createEvaluate, createEvaluateBatch } from '../permissions/evaluate/evaluate.ts'
import {
  createLoadEvaluations,
  createLoadKeyedEvaluations,
} from '../permissions/evaluate/load-evaluations.ts'
import { createLoadExplanations } from '../permissions/evaluate/load-explanations.ts'
import {
  createExplainPermission,
  createListPermissionSubjects,
} from '../permissions/evaluate/permission-subjects.ts'
import { createSearchActions } from '../permissions/evaluate/search-actions.ts'
import { createSearchResources } from '../permissions/evaluate/search-resources.ts'
import { createSearchSubjects } from '../permissions/evaluate/search-subjects.ts'
import { getPermission, getResource, listPermissions } from '../permissions/list-resources.ts'
import type { LoadAccessible } from '../permissions/load-accessible.ts'
import { updateParent } from '../permissions/parents.ts'
import { register, registerBatch } from '../permissions/register.ts'
import { revokeShare, share } from '../permissions/share.ts'
import { transferOwnership } from '../permissions/transfer.ts'
import { unregister } from '../permissions/unregister.ts'
import { updateVisibility } from '../permissions/visibility.ts'
import type { HandlersOf, HandlerTable } from '../rpc/handler.ts'
import { addChildGroup, listChildGroups, removeChildGroup } from '../workspaces/child-groups.ts'
import {
  addRoleActions,
  listRoleActions,
  removeRoleAction,
} from '../workspaces/custom-role-actions.ts'
import {
  addRoleMember,
  listRoleMembers,
  removeRoleMember,
} from '../workspaces/custom-role-members.ts'
import { createRole, deleteRole, listRoles, updateRole } from '../workspaces/custom-roles.ts'
import { addGroupMember, listGroupMembers, removeGroupMember } from '../workspaces/group-members.ts'
import { createGroup, deleteGroup, listGroups, updateGroup } from '../workspaces/groups.ts'
import { addUserToWorkspace, inviteMember } from '../workspaces/invitations.ts'
import { listMembers, removeMember, updateMember } from '../workspaces/members.ts'
import { createPersonalWorkspace } from '../workspaces/personal-workspace.ts'
import {
  createWorkspace,
  deleteWorkspace,
  getWorkspace,
  listAllWorkspaces,
  listWorkspacePage,
  listWorkspaces,
  updateWorkspace,
} from '../workspaces/workspaces.ts'

/** The dependencies of handlers, in addition to the context of a call. */
type HandlerDependencies = Omit<IdentityDependencies, 'createPersonalWorkspace'> & {
  database: Pick<Database, 'reads'>
  loadAccessible: LoadAccessible
  quotas: Quotas
}

/** Returns the handler of every method. A missing one is a compile-time error. */
export function createHandlers({
  database,
  loadAccessible,
  quotas,
  ...rest
}: HandlerDependencies): HandlerTable {
  const identity: IdentityDependencies = { ...rest, createPersonalWorkspace }
  const { debug, keysRequired } = rest.options
  const bind = bindContext({ identity, debug, keysRequired, quotas })
  const accessible = createAccessible(loadAccessible, { requiresKey: true })
  const access: AccessDependencies = {
    statements: database.reads,
    tokens: identity.tokens,
    loadAccessible,
    loadEvaluations: createLoadEvaluations(createLoadKeyedEvaluations(database.reads)),
    loadExplanations: createLoadExplanations(database.reads),
  }
  return {
    AccessService: {
      evaluate: createEvaluate(access),
      evaluateBatch: createEvaluateBatch(access),
      searchSubjects: createSearchSubjects(access),
      searchResources: createSearchResources(access),
      searchActions: createSearchActions(access),
      getAccessConfiguration: createGetAccessConfiguration(rest.options.baseUrl),
    } satisfies HandlersOf<AccessServiceServer>,
    AdminService: {
      getStats: bind(getStats),
      lookUpNames,
      listActivity,
      // Users.
      listUsers,
      getUser,
      updateUser,
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
      updateMember,
      removeMember,
      listGroups,
      createGroup: bind(createGroup),
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
      getPermission,
      explainPermission: createExplainPermission(access),
      listPermissionSubjects: createListPermissionSubjects(access),
      updateVisibility,
      share: bind(share),
      revokeShare,
      // Custom roles, service actions and apps.
      listServiceActions,
      listRoles,
      createRole,
      updateRole,
      deleteRole,
      listRoleActions,
      addRoleActions,
      removeRoleAction,
      listRoleMembers,
      addRoleMember,
      removeRoleMember,
      listServiceApps,
      createServiceApp: bind(createServiceApp),
      updateServiceApp: bind(updateServiceApp),
      deleteServiceApp: bind(deleteServiceApp),
      rotateServiceApp: bind(rotateServiceApp),
      listClientApps,
      createClientApp: bind(createClientApp),
      updateClientApp: bind(updateClientApp),
      rotateClientApp,
      deleteClientApp,
      // CSV import.
      previewCsvImport: bind(previewCsvImport),
      executeCsvImport: bind(executeCsvImport),
    } satisfies HandlersOf<AdminServiceServer>,
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
    } satisfies HandlersOf<AuthServiceServer>,
    OAuthService: {
      authorize: bind(authorize),
      issueToken: bind(issueToken),
      getUserInfo,
      revokeToken: bind(revokeToken),
      introspectToken: bind(introspectToken),
      endBrowserSession: bind(endBrowserSession),
    } satisfies HandlersOf<OAuthServiceServer>,
    PermissionService: {
      check,
      checkStream,
      accessible,
      accessibleStream: accessible,
      share: bind(share),
      register: bind(register),
      registerBatch: bind(registerBatch),
      updateVisibility,
      transferOwnership,
      updateParent,
      revokeShare,
      getResource,
      unregister,
      registerActions,
      listGrantedActions: createListGrantedActions(database.reads),
    } satisfies HandlersOf<PermissionServiceServer>,
    UserService: {
      getMe,
      updateMe,
      checkMyPermissions: check,
      listMyAccessibleResources: createAccessible(loadAccessible, { requiresKey: false }),
      listSessions,
      endSession,
      endOtherSessions,
      listAccounts,
      unlinkAccount,
    } satisfies HandlersOf<UserServiceServer>,
    WorkspaceService: {
      createWorkspace: bind(createWorkspace),
      listWorkspaces,
      getWorkspace,
      updateWorkspace,
      deleteWorkspace,
      listMembers,
      inviteMember: bind(inviteMember),
      updateMember,
      removeMember,
    } satisfies HandlersOf<WorkspaceServiceServer>,
    GroupService: {
      createGroup: bind(createGroup),
      listGroups,
      updateGroup,
      deleteGroup,
      addGroupMember,
      listGroupMembers,
      removeGroupMember,
      addChildGroup,
      listChildGroups,
      removeChildGroup,
    } satisfies HandlersOf<GroupServiceServer>,
  }
}

/** Returns a function that adds `dependencies` to the context of a handler. */
function bindContext<Dependencies extends object>(dependencies: Dependencies) {
  return <Request, Response>(
    handler: (context: RequestContext & Dependencies, request: Request) => Promise<Response>,
  ): Handler<Request, Response> =>
    (context, request) =>
      handler({ ...context, ...dependencies }, request)
}
