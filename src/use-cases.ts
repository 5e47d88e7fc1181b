import type { AdminServiceServer } from '../gen/daikon/v1/admin.ts'
import type { AuthServiceServer } from '../gen/daikon/v1/auth.ts'
import type { GroupServiceServer } from '../gen/daikon/v1/groups.ts'
import type { PermissionServiceServer } from '../gen/daikon/v1/permissions.ts'
import type { UserServiceServer } from '../gen/daikon/v1/users.ts'
import type { WorkspaceServiceServer } from '../gen/daikon/v1/workspaces.ts'
import { listActivity } from './activity/log.ts'
import {
  createClientApp,
  deleteClientApp,
  listClientApps,
  updateClientApp,
} from './admin/client-apps.ts'
import { executeCsvImport, previewCsvImport } from './admin/import/import.ts'
import {
  createServiceApp,
  deleteServiceApp,
  listServiceApps,
  rotateServiceApp,
  updateServiceApp,
} from './admin/service-apps.ts'
import { getStats } from './admin/stats.ts'
import { updateUser } from './admin/user-standing.ts'
import { getUser, listUsers } from './admin/users.ts'
import { decisions } from './decisions.ts'
import { beginAdminLogin, completeAdminLogin, getAdminMe } from './identity/admin-login.ts'
import { exchangeToken, listCodeWorkspaces } from './identity/codes.ts'
import { beginLogin, completeLogin } from './identity/login.ts'
import { adminLogout, logout } from './identity/logout.ts'
import { refreshToken } from './identity/refresh.ts'
import { endOtherSessions, endSession, listSessions } from './identity/sessions.ts'
import { getMe, updateMe } from './identity/users.ts'
import { getConfiguration, getKeySet } from './identity/well-known.ts'
import { listGrantedActions, listServiceActions, registerActions } from './permissions/actions.ts'
import { getPermission, listPermissions } from './permissions/every-resource.ts'
import { getResource, register, unregister } from './permissions/register.ts'
import { revokeShare, share } from './permissions/share.ts'
import { updateVisibility } from './permissions/visibility.ts'
import type { UseCases } from './rpc/call.ts'
import {
  addRoleActions,
  listRoleActions,
  removeRoleAction,
} from './workspaces/custom-role-actions.ts'
import {
  addRoleMember,
  listRoleMembers,
  removeRoleMember,
} from './workspaces/custom-role-members.ts'
import { createRole, deleteRole, listRoles, updateRole } from './workspaces/custom-roles.ts'
import { listAllWorkspaces, listWorkspacePage } from './workspaces/every-workspace.ts'
import { addGroupMember, listGroupMembers, removeGroupMember } from './workspaces/group-members.ts'
import { createGroup, deleteGroup, listGroups, updateGroup } from './workspaces/groups.ts'
import { addUserToWorkspace, inviteMember } from './workspaces/invitations.ts'
import { listMembers, removeMember, updateMember } from './workspaces/members.ts'
import {
  createWorkspace,
  deleteWorkspace,
  getWorkspace,
  listWorkspaces,
  updateWorkspace,
} from './workspaces/workspaces.ts'

/** What every method does; one that is missing does not compile. */
export const useCases = {
  AdminService: {
    getStats,
    listActivity,
    // Users.
    listUsers,
    getUser,
    updateUser,
    addUserToWorkspace,
    // Workspaces, members and groups.
    listWorkspaces: listWorkspacePage,
    createWorkspace,
    listAllWorkspaces,
    getWorkspace,
    updateWorkspace,
    deleteWorkspace,
    listMembers,
    inviteMember,
    updateMember,
    removeMember,
    listGroups,
    createGroup,
    updateGroup,
    deleteGroup,
    listGroupMembers,
    addGroupMember,
    removeGroupMember,
    // Resource permissions.
    listPermissions,
    getPermission,
    updateVisibility,
    share,
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
    createServiceApp,
    updateServiceApp,
    deleteServiceApp,
    rotateServiceApp,
    listClientApps,
    createClientApp,
    updateClientApp,
    deleteClientApp,
    // CSV import.
    previewCsvImport,
    executeCsvImport,
  } satisfies UseCases<AdminServiceServer>,
  AuthService: {
    beginLogin,
    completeLogin,
    listCodeWorkspaces,
    exchangeToken,
    refreshToken,
    logout,
    beginAdminLogin,
    completeAdminLogin,
    adminLogout,
    getAdminMe,
    getKeySet,
    getConfiguration,
  } satisfies UseCases<AuthServiceServer>,
  PermissionService: {
    ...decisions,
    share,
    register,
    updateVisibility,
    revokeShare,
    getResource,
    unregister,
    registerActions,
    listGrantedActions,
  } satisfies UseCases<PermissionServiceServer>,
  UserService: {
    getMe,
    updateMe,
    listSessions,
    endSession,
    endOtherSessions,
  } satisfies UseCases<UserServiceServer>,
  WorkspaceService: {
    createWorkspace,
    listWorkspaces,
    getWorkspace,
    updateWorkspace,
    deleteWorkspace,
    listMembers,
    inviteMember,
    updateMember,
    removeMember,
  } satisfies UseCases<WorkspaceServiceServer>,
  GroupService: {
    createGroup,
    listGroups,
    updateGroup,
    deleteGroup,
    addGroupMember,
    listGroupMembers,
    removeGroupMember,
  } satisfies UseCases<GroupServiceServer>,
}
