import { readNoPosition } from '../core/read-position.ts'
import { createAccessHandlers } from './evaluate/handlers.ts'
import { findNoLink } from './find-link.ts'
import { createPermissionHandlers } from './handlers.ts'
import { createPermissionJobs } from './jobs.ts'
import { createPermissionServices } from './services.ts'
import { permissionStores } from './store/stores.ts'

type HandlerDependencies = Parameters<typeof createAccessHandlers>[0] &
  Parameters<typeof createPermissionHandlers>[0]

/** What decisions run. */
export const parts = {
  stores: permissionStores,
  defaultServices: { findLink: findNoLink, readPosition: readNoPosition },
  createServices: createPermissionServices,
  createHandlers(dependencies: HandlerDependencies) {
    const handlers = createPermissionHandlers(dependencies)
    const access = createAccessHandlers(dependencies)
    const AdminService = { ...handlers.AdminService, ...access.AdminService }
    return { ...handlers, ...access, AdminService }
  },
  createJobs: createPermissionJobs,
}
