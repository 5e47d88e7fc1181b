import { defaultConnectionPorts } from './default-ports.ts'
import { connectionEvents } from './events.ts'
import { connectionPorts } from './provided-ports.ts'
import { reasons } from './reasons.ts'
import { connectionSettings } from './settings.ts'

/** Workspaces' own identity providers. */
export const connections = {
  name: 'connections',
  needs: ['activity', 'identity', 'workspaces'],
  events: connectionEvents,
  ports: connectionPorts,
  defaultPorts: defaultConnectionPorts,
  reasons,
  settings: connectionSettings,
  load: async () => (await import('./parts.ts')).parts,
} as const
