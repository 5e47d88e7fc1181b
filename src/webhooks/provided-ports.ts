import type { SentEvents } from '../admin/ports.ts'
import { redactPayload } from './redact.ts'
import type { DeliveryStore } from './store/delivery-store.ts'

/** What webhooks tell the features below. */
export const webhookPorts = {
  sentEvents: ({ deliveries }: { deliveries: DeliveryStore }): SentEvents => ({
    redact: (pattern) => deliveries.redact(pattern, (body) => redactPayload(body, pattern)),
  }),
}
