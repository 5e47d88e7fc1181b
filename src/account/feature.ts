import { accountEvents } from './events.ts'
import { accountPage } from './page.ts'
import { reasons } from './reasons.ts'

/** What users do with their own account on the account page. */
export const account = {
  name: 'account',
  needs: ['activity', 'admin', 'identity', 'workspaces'],
  events: accountEvents,
  page: accountPage,
  reasons,
  load: async () => (await import('./parts.ts')).parts,
} as const
