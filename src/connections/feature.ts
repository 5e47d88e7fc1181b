import { connectionEvents } from './events.ts'

/** Workspaces' own identity providers. */
export const connections = {
  name: 'connections',
  needs: ['activity', 'identity', 'scim', 'workspaces'],
  events: connectionEvents,
} as const
