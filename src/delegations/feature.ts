import { delegationEvents } from './events.ts'
import { delegationPorts } from './provided-ports.ts'
import { reasons } from './reasons.ts'
import { delegationSettings } from './settings.ts'

/** What users let agents do in their name. */
export const delegations = {
  name: 'delegations',
  needs: ['activity', 'admin', 'identity', 'permissions', 'workspaces'],
  events: delegationEvents,
  ports: delegationPorts,
  reasons,
  settings: delegationSettings,
  load: async () => (await import('./parts.ts')).parts,
} as const
