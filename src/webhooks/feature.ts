import { webhookEvents } from './events.ts'
import { webhookPorts } from './provided-ports.ts'
import { reasons } from './reasons.ts'
import { webhookSettings } from './settings.ts'

/** Events that are sent to URLs. */
export const webhooks = {
  name: 'webhooks',
  needs: ['activity', 'admin', 'workspaces'],
  events: webhookEvents,
  ports: webhookPorts,
  reasons,
  settings: webhookSettings,
  load: async () => (await import('./parts.ts')).parts,
} as const
