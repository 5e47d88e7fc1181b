import { connectionEvents } from './events.ts'
import { connectionSettings } from './settings.ts'

/** Workspaces' own identity providers. */
export const connections = {
  name: 'connections',
  needs: ['activity', 'identity', 'scim', 'workspaces'],
  events: connectionEvents,
  settings: connectionSettings,
} as const
