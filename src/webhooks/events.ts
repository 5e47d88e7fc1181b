import type { EventTable } from '../activity/events.ts'

/** The events of webhooks. */
export const webhookEvents = {
  'webhook.created': {
    target: 'webhook',
    detail: ['host', 'events', 'workspace', 'is_active'],
    description: 'A webhook was created; contains the host of its URL',
    recordedBy: ['createWebhook'],
  },
  'webhook.updated': {
    target: 'webhook',
    detail: ['host', 'events', 'workspace', 'is_active'],
    description: 'A webhook changed, or was activated or deactivated by an administrator',
    recordedBy: ['updateWebhook'],
  },
  'webhook.secret_rotated': {
    target: 'webhook',
    detail: ['host', 'overlap_seconds'],
    description: 'A webhook received a new secret; its previous secret also signs for the overlap',
    recordedBy: ['rotateWebhook'],
  },
  'webhook.deactivated': {
    target: 'webhook',
    detail: ['host', 'cause'],
    description:
      'The server deactivated a webhook: `cause` is `gone` if its URL returned 410, `failing` if every attempt failed for a day',
    recordedBy: [],
    alsoRecordedBy: 'the server',
  },
  'webhook.deleted': {
    target: 'webhook',
    detail: ['host'],
    description: 'A webhook was deleted with its deliveries',
    recordedBy: ['deleteWebhook'],
  },
} as const satisfies EventTable

type WebhookEvents = typeof webhookEvents

declare module '../activity/events.ts' {
  interface ActivityEvents extends WebhookEvents {}
}
