import { permissionEvents } from './events.ts'
import { reasons } from './reasons.ts'
import { permissionSettings } from './settings.ts'

/** Resources, shares and the decisions about them. */
export const permissions = {
  name: 'permissions',
  needs: ['activity', 'identity', 'workspaces'],
  events: permissionEvents,
  reasons,
  settings: permissionSettings,
  load: async () => (await import('./parts.ts')).parts,
} as const
