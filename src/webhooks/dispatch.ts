import type { EventTable } from '../activity/events.ts'
import { createActionFilter } from '../activity/feed/event-filter.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import type { FeedStore } from '../activity/store/feed-store.ts'
import { newId } from '../core/new-id.ts'
import type { Transactional } from '../core/request-context.ts'
import { eventPayload } from './payload.ts'
import type { DeliveryStore, NewDelivery } from './store/delivery-store.ts'
import type { DueWebhook } from './store/job-queue.ts'
import type { Subscription, WebhookFeedStore } from './store/webhook-feed-store.ts'

export type DispatchStores = {
  activity: ActivityStore
  deliveries: DeliveryStore
  feed: FeedStore
  webhookFeed: WebhookFeedStore
}

/** The maximum number of events for which one transaction creates deliveries. */
export const maxDispatched = 200

/** What was dispatched: the number of events read, and the webhooks with new deliveries. */
export type Dispatched = { events: number; webhooks: DueWebhook[] }

/**
 * Creates the deliveries of the events after the position, exactly once. Does nothing while another
 * node does. If the events were deleted or the database was restored, continues at the end of the
 * log.
 */
export async function dispatchEvents(
  stores: Transactional<DispatchStores>,
  now: Date,
  onGap: () => void,
): Promise<Dispatched> {
  const nothing = { events: 0, webhooks: [] }
  if (!(await stores.webhookFeed.hasSubscriptions())) return nothing
  return stores.transaction(async (tx) => {
    const cursor = await tx.webhookFeed.lock()
    if (!cursor) return nothing
    const entries = await tx.feed.readAfter(cursor, maxDispatched)
    if (!entries) {
      onGap()
      await tx.webhookFeed.set(await tx.feed.findEnd())
      return nothing
    }
    const last = entries.at(-1)
    if (!last) return nothing
    const subscriptions = (await tx.webhookFeed.findSubscriptions()).map((subscription) =>
      createSelection(tx.activity.events, subscription),
    )
    const deliveries = entries.flatMap(({ cursor: { position }, entry }): NewDelivery[] => {
      const selected = subscriptions.filter(({ selects }) => selects(entry))
      const requestBody = selected.length > 0 ? eventPayload(position, entry) : ''
      return selected.map(({ id }) => ({
        id: newId(),
        webhookId: id,
        type: entry.action,
        requestBody,
      }))
    })
    await tx.deliveries.insert(deliveries, now)
    await tx.webhookFeed.set(last.cursor)
    const due = new Set(deliveries.map(({ webhookId }) => webhookId))
    return { events: entries.length, webhooks: subscriptions.filter(({ id }) => due.has(id)) }
  })
}

function createSelection(table: EventTable, { id, isSlow, events, workspaceId }: Subscription) {
  // A webhook may be of another version of daikon, or of one with a feature that is left out here.
  const selects = createActionFilter(table, events)
  return {
    id,
    isSlow,
    selects: (entry: { action: string; workspace_id?: string | undefined }) =>
      (workspaceId === null || entry.workspace_id === workspaceId) && selects(entry.action),
  }
}
