import { webhookEvents } from './events.ts'
import { reasons } from './reasons.ts'
import { webhookSettings } from './settings.ts'

/** Events that are sent to URLs. */
export const webhooks = {
  name: 'webhooks',
  needs: ['activity', 'workspaces'],
  events: webhookEvents,
  reasons,
  settings: webhookSettings,
} as const
