import { queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../api/client.ts'
import { definedOnly } from '../api/defined-only.ts'
import { queryClient } from '../api/query-client.ts'

export type Webhook = Schemas['WebhookResponse']
export type Delivery = Schemas['WebhookDelivery']

/** Milliseconds after which the list asks for the result of an attempt. */
const resultInterval = 1000

/** Milliseconds within which an attempt counts as running: it postpones the next one by a minute. */
const attemptTime = 90_000

export const webhooksQuery = queryOptions({
  queryKey: ['webhooks', 'list'],
  queryFn: () => unwrap(api.GET('/admin/webhooks')),
})

export function webhookQuery(webhookId: string) {
  return queryOptions({
    queryKey: ['webhooks', 'detail', webhookId],
    queryFn: () =>
      unwrap(
        api.GET('/admin/webhooks/{webhook_id}', { params: { path: { webhook_id: webhookId } } }),
      ),
  })
}

/** Reads a page of deliveries, and reads it again as long as one of them is being attempted. */
export function deliveriesQuery(webhookId: string, pageToken: string | undefined) {
  const query = definedOnly({ page_size: 20, page_token: pageToken })
  return queryOptions({
    queryKey: ['webhooks', 'deliveries', webhookId, query],
    queryFn: () =>
      unwrap(
        api.GET('/admin/webhooks/{webhook_id}/deliveries', {
          params: { path: { webhook_id: webhookId }, query },
        }),
      ),
    refetchInterval: ({ state }) => (state.data?.items.some(isRunning) ? resultInterval : false),
  })
}

function isRunning({ state, next_attempt_at }: Delivery): boolean {
  const start = next_attempt_at ? Date.parse(next_attempt_at) : 0
  return state === 'pending' && start < Date.now() + attemptTime
}

/** Sends the event `webhook.test`. */
export async function sendTest({ id }: Webhook): Promise<void> {
  await unwrap(
    api.POST('/admin/webhooks/{webhook_id}/test', { params: { path: { webhook_id: id } } }),
  )
  await refreshWebhooks()
}

/** Sends a delivery again. */
export async function retryDelivery(webhook: Webhook, delivery: Delivery): Promise<void> {
  const params = { path: { webhook_id: webhook.id, delivery_id: delivery.id } }
  await unwrap(api.POST('/admin/webhooks/{webhook_id}/deliveries/{delivery_id}/retry', { params }))
  await refreshWebhooks()
}

/** Reloads everything that shows webhooks, after a change. */
export function refreshWebhooks(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ['webhooks'] })
}

/** Returns what people call a webhook: its description, or the host of its URL. */
export function nameWebhook({ description, url }: Webhook): string {
  return description || new URL(url).host
}
