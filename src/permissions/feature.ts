import { permissionEvents } from './events.ts'

/** Resources, shares, links and the decisions about them. */
export const permissions = {
  name: 'permissions',
  needs: ['activity', 'identity', 'workspaces'],
  events: permissionEvents,
} as const
