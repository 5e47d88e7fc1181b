import { webhookEvents } from './events.ts'
import { webhookSettings } from './settings.ts'

/** Events that are sent to URLs. */
export const webhooks = {
  name: 'webhooks',
  needs: ['activity', 'workspaces'],
  events: webhookEvents,
  settings: webhookSettings,
} as const
