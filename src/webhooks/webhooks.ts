import type {
  ListWebhooksRequest,
  ListWebhooksResponse,
  WebhookCreateRequest,
  WebhookRequest,
  WebhookResponse,
  WebhookUpdateRequest,
} from '../../gen/daikon/v1/admin_webhooks.ts'
import type { DeleteResponse } from '../../gen/daikon/v1/workspaces.ts'
import { actorOf, userIdOf } from '../activity/actor.ts'
import type { EventTable } from '../activity/events.ts'
import { readActionFilter } from '../activity/feed/event-filter.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { type FieldViolation, invalidArgument, ServiceError } from '../core/errors.ts'
import { newId } from '../core/new-id.ts'
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import type { SecretBox } from '../core/secret-box.ts'
import { isoTime } from '../database/sql-values.ts'
import type { OutboundHosts } from '../outbound/outbound-hosts.ts'
import type { WorkspaceStore } from '../workspaces/store/workspace-store.ts'
import { requireWorkspaceExists } from '../workspaces/workspaces.ts'
import { createWebhookSecret } from './signature.ts'
import type { DeliveryStore } from './store/delivery-store.ts'
import type { WebhookFeedStore } from './store/webhook-feed-store.ts'
import type { StoredWebhook, WebhookSettings, WebhookStore } from './store/webhook-store.ts'
import {
  findUrlViolations,
  hostOfUrl,
  maxWebhooks,
  secretContext,
  tooManyWebhooks,
  webhookNotFound,
} from './webhook-rules.ts'

type WebhookStores = {
  activity: ActivityStore
  deliveries: DeliveryStore
  webhookFeed: WebhookFeedStore
  webhooks: WebhookStore
  workspaces: WorkspaceStore
}

type WebhookContext = WriteContext<WebhookStores> & {
  /** The hosts that may receive events. */
  webhookHosts: OutboundHosts
  secretBox: SecretBox
}

/** Seconds for which the previous secret still signs requests. */
const overlapSeconds = 86_400

/** Lists all webhooks, oldest first. */
export async function listWebhooks(
  { stores }: Pick<RequestContext<{ webhooks: WebhookStore }>, 'stores'>,
  _request: ListWebhooksRequest,
): Promise<ListWebhooksResponse> {
  const webhooks = await stores.webhooks.list()
  return { webhooks: webhooks.map((webhook) => toResponse(webhook)) }
}

/** Returns a webhook. */
export async function getWebhook(
  { stores }: Pick<RequestContext<{ webhooks: WebhookStore }>, 'stores'>,
  { webhook_id }: WebhookRequest,
): Promise<WebhookResponse> {
  const webhook = await stores.webhooks.find(webhook_id)
  if (!webhook) throw webhookNotFound()
  return toResponse(webhook)
}

/** Creates a webhook with its first secret. It receives the events from then on. */
export async function createWebhook(
  { stores, principal, webhookHosts, secretBox }: WebhookContext,
  { url, events, workspace_id, description = '', is_active = true }: WebhookCreateRequest,
): Promise<WebhookResponse> {
  const violations = [
    ...findUrlViolations(url, webhookHosts),
    ...findEventViolations(stores.activity.events, events),
  ]
  if (violations.length > 0) throw invalidArgument(...violations)
  const id = newId()
  const actor = actorOf(principal)
  const secret = createWebhookSecret()
  const encrypted = secretBox.encrypt(secret, secretContext(id))
  const workspaceId = workspace_id ?? null
  const settings = { url, events, workspaceId, description, isActive: is_active }
  return stores.transaction(async (tx) => {
    if (workspaceId) await requireWorkspaceExists(tx.workspaces, workspaceId)
    if ((await tx.webhooks.count()) >= maxWebhooks) throw tooManyWebhooks()
    await tx.webhookFeed.startIfIdle()
    await tx.webhooks.insert(id, settings, encrypted, userIdOf(actor))
    await tx.activity.record(actor, settingsEvent('webhook.created', id, settings))
    return toResponse(await requireWebhook(tx.webhooks, id), secret)
  })
}

/** Changes a webhook. Deactivating it gives up its pending deliveries. */
export async function updateWebhook(
  { stores, principal, webhookHosts }: WebhookContext,
  request: WebhookUpdateRequest,
): Promise<WebhookResponse> {
  const violations = [
    ...(request.url === undefined ? [] : findUrlViolations(request.url, webhookHosts)),
    ...findEventViolations(stores.activity.events, request.events),
  ]
  if (violations.length > 0) throw invalidArgument(...violations)
  return stores.transaction(async (tx) => {
    const before = await requireWebhook(tx.webhooks, request.webhook_id)
    const { id } = before
    const settings = {
      url: request.url ?? before.url,
      events: readEvents(request) ?? before.events,
      workspaceId: before.workspaceId,
      description: request.description ?? before.description,
      isActive: request.is_active ?? before.isActive,
    }
    if (settings.isActive && !before.isActive) await tx.webhookFeed.startIfIdle()
    await tx.webhooks.update(id, settings)
    if (!settings.isActive) await tx.deliveries.giveUp(id)
    const event = settingsEvent('webhook.updated', id, settings)
    await tx.activity.record(actorOf(principal), event)
    return toResponse(await requireWebhook(tx.webhooks, id))
  })
}

/** Deletes a webhook with its deliveries. */
export async function deleteWebhook(
  { stores, principal }: WriteContext<WebhookStores>,
  { webhook_id }: WebhookRequest,
): Promise<DeleteResponse> {
  return stores.transaction(async (tx) => {
    const { id, url } = await requireWebhook(tx.webhooks, webhook_id)
    await tx.webhooks.delete(id)
    const detail = { host: hostOfUrl(url) }
    const event = { action: 'webhook.deleted', targetId: id, detail } as const
    await tx.activity.record(actorOf(principal), event)
    return {}
  })
}

/** Creates a new secret. For a day, requests are signed with both. */
export async function rotateWebhook(
  { stores, principal, secretBox }: WebhookContext,
  { webhook_id }: WebhookRequest,
): Promise<WebhookResponse> {
  return stores.transaction(async (tx) => {
    const { id, url } = await requireWebhook(tx.webhooks, webhook_id)
    const secret = createWebhookSecret()
    await tx.webhooks.rotate(id, secretBox.encrypt(secret, secretContext(id)), overlapSeconds)
    await tx.activity.record(actorOf(principal), {
      action: 'webhook.secret_rotated',
      targetId: id,
      detail: { host: hostOfUrl(url), overlap_seconds: String(overlapSeconds) },
    })
    return toResponse(await requireWebhook(tx.webhooks, id), secret)
  })
}

function readEvents({ events, all_events }: WebhookUpdateRequest): string[] | undefined {
  if (events.length > 0) return events
  return all_events ? [] : undefined
}

function findEventViolations(table: EventTable, events: string[]): FieldViolation[] {
  try {
    readActionFilter(table, 'events', events)
    return []
  } catch (error) {
    return ServiceError.from(error).violations ?? []
  }
}

/** Locks and returns a webhook, so that concurrent changes run one after the other. */
async function requireWebhook(webhooks: WebhookStore, id: string): Promise<StoredWebhook> {
  const webhook = await webhooks.lock(id)
  if (!webhook) throw webhookNotFound()
  return webhook
}

function toResponse(webhook: StoredWebhook, secret?: string): WebhookResponse {
  const { id, url, events, description, isActive, createdBy, workspaceId } = webhook
  const { deactivatedReason, failingSince, previousSecretExpiresAt, createdAt } = webhook
  return {
    id,
    url,
    events,
    description,
    is_active: isActive,
    created_at: isoTime(createdAt),
    ...(workspaceId && { workspace_id: workspaceId }),
    ...(deactivatedReason && { deactivated_reason: deactivatedReason }),
    ...(failingSince && { failing_since: isoTime(failingSince) }),
    ...(previousSecretExpiresAt && {
      previous_secret_expires_at: isoTime(previousSecretExpiresAt),
    }),
    ...(createdBy && { created_by: createdBy }),
    ...(secret !== undefined && { secret }),
  }
}

function settingsEvent(
  action: 'webhook.created' | 'webhook.updated',
  targetId: string,
  { url, events, workspaceId, isActive }: WebhookSettings,
) {
  return {
    action,
    targetId,
    detail: {
      host: hostOfUrl(url),
      events: events.join(' ') || 'all',
      workspace: workspaceId ?? 'any',
      is_active: String(isActive),
    },
  } as const
}
