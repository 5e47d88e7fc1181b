import { updateUsers } from './bulk-users.ts'
import {
  createClientApp,
  deleteClientApp,
  getClientApp,
  listClientApps,
  rotateClientApp,
  updateClientApp,
} from './client-apps.ts'
import { deleteUser } from './delete-user.ts'
import { exportUser } from './export-user.ts'
import {
  createManagementApp,
  deleteManagementApp,
  listManagementApps,
  rotateManagementApp,
  updateManagementApp,
} from './management-apps.ts'
import { lookUpNames, lookUpWorkspaceNames } from './names.ts'
import { searchNames } from './search-names.ts'
import {
  createServiceApp,
  deleteServiceApp,
  getServiceApp,
  listServiceApps,
  rotateServiceApp,
  updateServiceApp,
} from './service-apps.ts'
import { getStats } from './stats.ts'
import { endUserSession, endUserSessions } from './user-sessions.ts'
import { setAdministrator, updateUser } from './user-status.ts'
import { getUser, listUsers } from './users.ts'

/** The handlers of administration, by service. */
export const adminHandlers = {
  ActivityService: { lookUpWorkspaceNames },
  AdminService: {
    getStats,
    lookUpNames,
    searchNames,
    // Users.
    listUsers,
    getUser,
    updateUser,
    updateUsers,
    setAdministrator,
    deleteUser,
    exportUser,
    endUserSession,
    endUserSessions,
    // Apps.
    listServiceApps,
    getServiceApp,
    createServiceApp,
    updateServiceApp,
    deleteServiceApp,
    rotateServiceApp,
    listClientApps,
    getClientApp,
    createClientApp,
    updateClientApp,
    rotateClientApp,
    deleteClientApp,
    listManagementApps,
    createManagementApp,
    updateManagementApp,
    rotateManagementApp,
    deleteManagementApp,
  },
}
