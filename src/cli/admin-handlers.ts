/**
 * The handlers of the AdminService methods that commands call, by the keys of the methods. They run
 * in this process, on the database, or on a server (`--server`).
 */
export const handlers = {
  createServiceApp: async () => (await import('../admin/service-apps.ts')).createServiceApp,
  listServiceApps: async () => (await import('../admin/service-apps.ts')).listServiceApps,
  updateServiceApp: async () => (await import('../admin/service-apps.ts')).updateServiceApp,
  rotateServiceApp: async () => (await import('../admin/service-apps.ts')).rotateServiceApp,
  createClientApp: async () => (await import('../admin/client-apps.ts')).createClientApp,
  listClientApps: async () => (await import('../admin/client-apps.ts')).listClientApps,
  updateClientApp: async () => (await import('../admin/client-apps.ts')).updateClientApp,
  rotateClientApp: async () => (await import('../admin/client-apps.ts')).rotateClientApp,
  listUsers: async () => (await import('../admin/users.ts')).listUsers,
  getUser: async () => (await import('../admin/users.ts')).getUser,
  updateUser: async () => (await import('../admin/user-status.ts')).updateUser,
  exportUser: async () => (await import('../admin/export-user.ts')).exportUser,
  deleteUser: async () => (await import('../admin/delete-user.ts')).deleteUser,
  previewCsvImport: async () => (await import('../csv-import/import.ts')).previewCsvImport,
  executeCsvImport: async () => (await import('../csv-import/import.ts')).executeCsvImport,
  listAllWorkspaces: async () => (await import('../workspaces/workspaces.ts')).listAllWorkspaces,
  listWorkspaces: async () => (await import('../workspaces/workspaces.ts')).listWorkspacePage,
  createWorkspace: async () => (await import('../workspaces/workspaces.ts')).createWorkspace,
  updateWorkspace: async () => (await import('../workspaces/workspaces.ts')).updateWorkspace,
  deleteWorkspace: async () => (await import('../workspaces/workspaces.ts')).deleteWorkspace,
  listMembers: async () => (await import('../workspaces/members.ts')).listMembers,
  updateMember: async () => (await import('../workspaces/members.ts')).updateMember,
  inviteMember: async () => (await import('../workspaces/invitations.ts')).inviteMember,
  listGroups: async () => (await import('../workspaces/groups.ts')).listGroups,
  listGroupMembers: async () => (await import('../workspaces/group-members.ts')).listGroupMembers,
  listChildGroups: async () => (await import('../workspaces/child-groups.ts')).listChildGroups,
  addChildGroup: async () => (await import('../workspaces/child-groups.ts')).addChildGroup,
  removeChildGroup: async () => (await import('../workspaces/child-groups.ts')).removeChildGroup,
}

type Handlers = typeof handlers
export type MethodKey = keyof Handlers
type HandlerOf<Key extends MethodKey> = Awaited<ReturnType<Handlers[Key]>>
export type RequestOf<Key extends MethodKey> = Parameters<HandlerOf<Key>>[1]
export type ResponseOf<Key extends MethodKey> = Awaited<ReturnType<HandlerOf<Key>>>

/** Calls an AdminService method. `more` are further arguments of the handler in this process. */
export type AdminApi = <Key extends MethodKey>(
  key: Key,
  request: RequestOf<Key>,
  ...more: unknown[]
) => Promise<ResponseOf<Key>>
