import { listWebhookDeliveries, retryWebhookDelivery, testWebhook } from './webhook-deliveries.ts'
import {
  createWebhook,
  deleteWebhook,
  getWebhook,
  listWebhooks,
  rotateWebhook,
  updateWebhook,
} from './webhooks.ts'

/** The handlers of webhooks, by service. */
export const webhookHandlers = {
  AdminService: {
    listWebhooks,
    createWebhook,
    getWebhook,
    updateWebhook,
    deleteWebhook,
    rotateWebhook,
    testWebhook,
    listWebhookDeliveries,
    retryWebhookDelivery,
  },
}
