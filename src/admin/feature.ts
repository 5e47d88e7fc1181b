import { defaultAdminPorts } from './default-ports.ts'
import { adminEvents } from './events.ts'
import { reasons } from './reasons.ts'

/** Administration of users and apps, and statistics. */
export const admin = {
  name: 'admin',
  needs: ['activity', 'identity', 'permissions', 'workspaces'],
  events: adminEvents,
  defaultPorts: defaultAdminPorts,
  reasons,
  load: async () => (await import('./parts.ts')).parts,
} as const
