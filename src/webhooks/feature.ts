import { webhookEvents } from './events.ts'

/** Events that are sent to URLs. */
export const webhooks = {
  name: 'webhooks',
  needs: ['activity', 'workspaces'],
  events: webhookEvents,
} as const
