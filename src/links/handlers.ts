import { createLink, deleteLink, listLinks } from './links.ts'

/** The operations that backend services and administrators share. */
const shared = { createLink, listLinks, deleteLink }

/** The handlers of links. */
export const linkHandlers = { AdminService: shared, PermissionService: shared }
