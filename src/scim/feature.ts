import { scimEvents } from './events.ts'
import { reasons } from './reasons.ts'

/** Members and groups that directories provision. */
export const scim = {
  name: 'scim',
  needs: ['activity', 'connections', 'identity', 'workspaces'],
  events: scimEvents,
  reasons,
} as const
