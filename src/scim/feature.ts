import { scimEvents } from './events.ts'

/** Members and groups that directories provision. */
export const scim = {
  name: 'scim',
  needs: ['activity', 'connections', 'identity', 'workspaces'],
  events: scimEvents,
} as const
