import { accountEvents } from './events.ts'
import { reasons } from './reasons.ts'

/** What users do with their own account on the account page. */
export const account = {
  name: 'account',
  needs: ['activity', 'admin', 'identity', 'workspaces'],
  events: accountEvents,
  reasons,
  load: async () => (await import('./parts.ts')).parts,
} as const
