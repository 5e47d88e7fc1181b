import { DeliveryStore } from './delivery-store.ts'
import { WebhookFeedStore } from './webhook-feed-store.ts'
import { WebhookStore } from './webhook-store.ts'

/** The stores of the feature, by the name under which handlers use them. */
export const webhookStores = {
  deliveries: DeliveryStore,
  webhookFeed: WebhookFeedStore,
  webhooks: WebhookStore,
}
