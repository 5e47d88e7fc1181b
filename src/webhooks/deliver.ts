import type { ActivityStore } from '../activity/store/activity-store.ts'
import type { Transactional } from '../core/request-context.ts'
import type { SecretBox } from '../core/secret-box.ts'
import { type OutboundClient, OutboundHostError } from '../outbound/outbound-client.ts'
import { hasFailedTooLong, retryDelay } from './retry-schedule.ts'
import { signatureHeaders } from './signature.ts'
import type { Attempt, ClaimedDelivery, DeliveryStore } from './store/delivery-store.ts'
import type { Target, WebhookStore } from './store/webhook-store.ts'
import { hostOfUrl, secretContext } from './webhook-rules.ts'

export type DeliverStores = {
  activity: ActivityStore
  deliveries: DeliveryStore
  webhooks: WebhookStore
}

export type DeliverDependencies = {
  /** Runs the work once the connections of other jobs leave one for it. */
  withStores: <Result>(
    work: (stores: Transactional<DeliverStores>) => Promise<Result>,
  ) => Promise<Result>
  secretBox: SecretBox
  send: OutboundClient
  now: () => Date
  random: () => number
}

/** The maximum number of requests to one webhook at the same time. */
const maxConcurrent = 8

/** Milliseconds after which a job gives way to other webhooks. */
const maxDuration = 20_000

/** The time that a webhook has to respond, in milliseconds. */
export const responseTimeout = 10_000

/** The maximum size of a response that is stored, in bytes. */
const maxResponseBytes = 4096

/** The status with which a URL says that it wants no more events. */
const goneStatus = 410

/**
 * Attempts the due deliveries of a webhook. Stops after a failure or when it takes long. Returns when
 * the next delivery is due, if any is pending.
 */
export async function deliverDue(
  dependencies: DeliverDependencies,
  webhookId: string,
): Promise<Date | undefined> {
  const { withStores, now } = dependencies
  const startedAt = performance.now()
  for (;;) {
    const due = await withStores(async ({ deliveries, webhooks }) => {
      const claimed = await deliveries.claim(webhookId, maxConcurrent, now())
      const target = claimed.length > 0 ? await webhooks.findTarget(webhookId) : undefined
      return target && { claimed, target }
    })
    if (!due) break
    const { claimed, target } = due
    const secrets = decryptSecrets(dependencies, target)
    const results = await Promise.all(
      claimed.map((delivery) => attempt(dependencies, target, delivery, secrets)),
    )
    const isLong = performance.now() - startedAt > maxDuration
    if (isLong || claimed.length < maxConcurrent || results.includes(false)) break
  }
  return withStores(({ deliveries }) => deliveries.findNextDue(webhookId))
}

function decryptSecrets(
  { secretBox }: DeliverDependencies,
  { id, secret, previousSecret }: Target,
): string[] {
  const texts = previousSecret ? [secret, previousSecret] : [secret]
  return texts.map((text) => secretBox.decrypt(text, secretContext(id)))
}

/** Sends a delivery and records the result. Returns whether it was delivered. */
async function attempt(
  { withStores, send, now, random }: DeliverDependencies,
  { id: webhookId, url, failingSince: failedBefore }: Target,
  { id, requestBody, attempts, firstFailedAt }: ClaimedDelivery,
  secrets: string[],
): Promise<boolean> {
  const startedAt = performance.now()
  const signed = signatureHeaders({ id, body: requestBody, at: now() }, secrets)
  const response = await send(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...signed },
    body: requestBody,
    signal: AbortSignal.timeout(responseTimeout),
    maxBytes: maxResponseBytes,
    isTruncated: true,
  }).catch((error: unknown) => ({ error: describeFailure(error) }))
  const status = 'status' in response ? response.status : undefined
  const isDelivered = status !== undefined && status >= 200 && status < 300
  const delay = isDelivered || status === goneStatus ? undefined : retryDelay(attempts, random())
  const result: Attempt = {
    id,
    state: isDelivered ? 'delivered' : delay === undefined ? 'failed' : 'pending',
    nextAttemptAt: delay === undefined ? null : new Date(now().getTime() + delay),
    durationMs: Math.round(performance.now() - startedAt),
    responseStatus: status ?? null,
    responseBody: 'status' in response ? readText(response.body) : null,
    error: 'error' in response ? response.error : null,
  }
  if (isDelivered && !failedBefore) {
    await withStores(({ deliveries }) => deliveries.finish(result, now()))
    return true
  }
  const recordAttempt = async (tx: DeliverStores) => {
    const at = now()
    const failingSince = await tx.webhooks.noteAttempt(webhookId, isDelivered, at)
    await tx.deliveries.finish(result, at)
    if (!failingSince) return
    const isExhausted = delay === undefined
    const exhausted = isExhausted ? { firstFailedAt: new Date(firstFailedAt ?? at) } : undefined
    if (status === goneStatus) await deactivate(tx, webhookId, url, 'gone')
    else if (hasFailedTooLong(failingSince, at, exhausted))
      await deactivate(tx, webhookId, url, 'failing')
  }
  await withStores((stores) => stores.transaction(recordAttempt))
  return isDelivered
}

async function deactivate(
  tx: DeliverStores,
  id: string,
  url: string,
  cause: string,
): Promise<void> {
  if (!(await tx.webhooks.deactivate(id, cause))) return
  await tx.deliveries.giveUp(id)
  await tx.activity.record(
    { actorId: undefined },
    { action: 'webhook.deactivated', targetId: id, detail: { host: hostOfUrl(url), cause } },
  )
}

/** Describes why there was no response, without internal addresses of other errors. */
function describeFailure(error: unknown): string {
  if (error instanceof OutboundHostError) return error.message
  if (!(error instanceof Error)) return 'The request failed'
  if (error.name === 'TimeoutError') return `No response within ${responseTimeout / 1000} seconds`
  const { code } = error as NodeJS.ErrnoException
  return code ? `${error.message} (${code})` : error.message
}

/** Decodes a body as text that PostgreSQL can store. */
function readText(body: Buffer): string {
  return body.toString('utf8').replaceAll('\0', '\uFFFD')
}
