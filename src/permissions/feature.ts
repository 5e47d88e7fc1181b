import { permissionEvents } from './events.ts'
import { permissionSettings } from './settings.ts'

/** Resources, shares, links and the decisions about them. */
export const permissions = {
  name: 'permissions',
  needs: ['activity', 'identity', 'workspaces'],
  events: permissionEvents,
  settings: permissionSettings,
} as const
