import type {
  ListWebhookDeliveriesRequest,
  ListWebhookDeliveriesResponse,
  WebhookDelivery,
  WebhookDeliveryRequest,
  WebhookRequest,
} from '../../gen/daikon/v1/admin_webhooks.ts'
import { newId } from '../core/new-id.ts'
import type { RequestContext } from '../core/request-context.ts'
import { isoTime } from '../database/sql-values.ts'
import { testPayload, testType } from './payload.ts'
import type { Delivery, DeliveryStore } from './store/delivery-store.ts'
import type { StoredWebhook, WebhookStore } from './store/webhook-store.ts'
import { deliveryNotFound, webhookInactive, webhookNotFound } from './webhook-rules.ts'

type Stores = { deliveries: DeliveryStore; webhooks: WebhookStore }

type SendContext = RequestContext<Stores> & {
  /** Wakes up a node to attempt the due deliveries of a webhook. */
  wakeWebhook: (id: string) => void
}

/** Lists the deliveries of a webhook, newest first. */
export async function listWebhookDeliveries(
  { stores }: Pick<RequestContext<Stores>, 'stores'>,
  { webhook_id, page_token, page_size = 20 }: ListWebhookDeliveriesRequest,
): Promise<ListWebhookDeliveriesResponse> {
  const { id } = await requireWebhook(stores, webhook_id)
  const found = await stores.deliveries.list(id, page_token, page_size + 1)
  const items = found.slice(0, page_size)
  const last = found.length > page_size ? items.at(-1)?.id : undefined
  return { items: items.map(toResponse), ...(last && { next_page_token: last }) }
}

/** Sends a test event. */
export async function testWebhook(
  { stores, now, wakeWebhook }: SendContext,
  { webhook_id }: WebhookRequest,
): Promise<WebhookDelivery> {
  const webhook = await requireActiveWebhook(stores, webhook_id)
  const id = newId()
  const requestBody = testPayload(webhook.id, now)
  await stores.deliveries.insert([{ id, webhookId: webhook.id, type: testType, requestBody }], now)
  wakeWebhook(webhook.id)
  return findDelivery(stores, webhook.id, id)
}

/** Sends a delivery again, with a new schedule of attempts. */
export async function retryWebhookDelivery(
  { stores, now, wakeWebhook }: SendContext,
  { webhook_id, delivery_id }: WebhookDeliveryRequest,
): Promise<WebhookDelivery> {
  const webhook = await requireActiveWebhook(stores, webhook_id)
  const isFound = await stores.deliveries.restart(webhook.id, delivery_id, now)
  if (!isFound) throw deliveryNotFound()
  wakeWebhook(webhook.id)
  return findDelivery(stores, webhook.id, delivery_id)
}

async function requireWebhook({ webhooks }: Stores, id: string): Promise<StoredWebhook> {
  const webhook = await webhooks.find(id)
  if (!webhook) throw webhookNotFound()
  return webhook
}

async function requireActiveWebhook(stores: Stores, id: string): Promise<StoredWebhook> {
  const webhook = await requireWebhook(stores, id)
  if (!webhook.isActive) throw webhookInactive()
  return webhook
}

async function findDelivery(
  { deliveries }: Stores,
  webhookId: string,
  id: string,
): Promise<WebhookDelivery> {
  const delivery = await deliveries.find(webhookId, id)
  if (!delivery) throw deliveryNotFound()
  return toResponse(delivery)
}

function toResponse(delivery: Delivery): WebhookDelivery {
  const { id, type, state, attempts, createdAt, nextAttemptAt, attemptedAt } = delivery
  const { durationMs, requestBody, responseStatus, responseBody, error } = delivery
  return {
    id,
    type,
    state,
    attempts,
    created_at: isoTime(createdAt),
    request_body: requestBody,
    ...(nextAttemptAt && { next_attempt_at: isoTime(nextAttemptAt) }),
    ...(attemptedAt && { attempted_at: isoTime(attemptedAt) }),
    ...(durationMs !== null && { duration_ms: durationMs }),
    ...(responseStatus !== null && { response_status: responseStatus }),
    ...(responseBody !== null && { response_body: responseBody }),
    ...(error !== null && { error }),
  }
}
