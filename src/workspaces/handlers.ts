import { createKey, deleteKey, listApiKeys } from './api-keys.ts'
import { addMembers, updateMembers } from './bulk-members.ts'
import { addChildGroup, listChildGroups, removeChildGroup } from './child-groups.ts'
import { addRoleActions, listRoleActions, removeRoleAction } from './custom-role-actions.ts'
import { addRoleGroup, listRoleGroups, removeRoleGroup } from './custom-role-groups.ts'
import { addRoleMember, listRoleMembers, removeRoleMember } from './custom-role-members.ts'
import { createRole, deleteRole, getRole, listRoles, updateRole } from './custom-roles.ts'
import { addGroupMember, listGroupMembers, removeGroupMember } from './group-members.ts'
import { createGroup, deleteGroup, getGroup, listGroups, updateGroup } from './groups.ts'
import { addUserToWorkspace, inviteMember } from './invitations.ts'
import { listMembers, removeMember, updateMember } from './members.ts'
import {
  createServiceAccount,
  deleteServiceAccount,
  getServiceAccount,
  listServiceAccounts,
  updateServiceAccount,
} from './service-accounts.ts'
import { giveSupportAccess } from './support-access.ts'
import { listWorkspaceActivity } from './workspace-activity.ts'
import {
  createWorkspace,
  deleteWorkspace,
  getWorkspace,
  listAllWorkspaces,
  listWorkspacePage,
  listWorkspaces,
  updateWorkspace,
} from './workspaces.ts'

// Administrators and members share these operations.

const workspaces = {
  createWorkspace,
  getWorkspace,
  updateWorkspace,
  deleteWorkspace,
  listMembers,
  inviteMember,
  updateMember,
  updateMembers,
  removeMember,
}

const groups = {
  listGroups,
  createGroup,
  getGroup,
  updateGroup,
  deleteGroup,
  listGroupMembers,
  addGroupMember,
  removeGroupMember,
  addChildGroup,
  listChildGroups,
  removeChildGroup,
}

const roles = {
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
}

const serviceAccounts = {
  listServiceAccounts,
  createServiceAccount,
  getServiceAccount,
  updateServiceAccount,
  deleteServiceAccount,
  listApiKeys,
  createKey,
  deleteKey,
}

/** The handlers of workspaces, members, groups, custom roles and service accounts, by service. */
export const workspaceHandlers = {
  ActivityService: { listWorkspaceActivity },
  AdminService: {
    ...workspaces,
    ...groups,
    ...roles,
    ...serviceAccounts,
    listWorkspaces: listWorkspacePage,
    listAllWorkspaces,
    addMembers,
    addUserToWorkspace,
    giveSupportAccess,
  },
  GroupService: groups,
  RoleService: roles,
  ServiceAccountService: serviceAccounts,
  WorkspaceService: { ...workspaces, listWorkspaces },
}
