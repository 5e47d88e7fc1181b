import { adminEvents } from './events.ts'

/** Administration of users and apps, statistics and CSV import. */
export const admin = {
  name: 'admin',
  needs: ['activity', 'identity', 'permissions', 'scim', 'webhooks', 'workspaces'],
  events: adminEvents,
} as const
