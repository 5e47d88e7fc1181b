import type { ActivityStore } from '../activity/store/activity-store.ts'
import type { Transactional } from '../core/request-context.ts'
import type { SecretBox } from '../core/secret-box.ts'
import type { TakeTurn } from '../core/turns.ts'
import { type OutboundClient, OutboundHostError } from '../outbound/outbound-client.ts'
import { hasFailedTooLong, retryDelay } from './retry-schedule.ts'
import { maxClaimed, type NextDue, type SharedStatements } from './shared-statements.ts'
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
  statements: SharedStatements
  /** Waits before a request is signed and sent, so that many do not hold up calls. */
  takeTurn: TakeTurn
  secretBox: SecretBox
  send: OutboundClient
  now: () => Date
  random: () => number
}

/** Milliseconds after which a job gives way to other webhooks. */
const maxDuration = 20_000

/**
 * Milliseconds after which a webhook that has not responded is slow.
 * See docs/decisions/activity.md#webhooks-that-respond-slowly.
 */
export const slowTime = 2000

/** The time that a webhook has to respond, in milliseconds. */
export const responseTimeout = 10_000

/** The maximum size of a response that is stored, in bytes. */
const maxResponseBytes = 4096

/** The status with which a URL says that it wants no more events. */
const goneStatus = 410

/**
 * Attempts the due deliveries of a webhook. Stops after a failure or when it takes long. Calls `onSlow`
 * once requests take long, and records whether they did. Returns when the next delivery is due, if any
 * is pending.
 */
export async function deliverDue(
  dependencies: DeliverDependencies,
  webhookId: string,
  onSlow: () => void,
): Promise<NextDue | undefined> {
  const { withStores, statements, takeTurn } = dependencies
  const startedAt = performance.now()
  for (;;) {
    const due = await statements.claim(webhookId)
    if (!due) break
    await takeTurn()
    const { claimed, target } = due
    const secrets = decryptSecrets(dependencies, target)
    const waiting = setTimeout(onSlow, slowTime)
    const results = await Promise.all(
      claimed.map((delivery) => attempt(dependencies, target, delivery, secrets)),
    ).finally(() => clearTimeout(waiting))
    const isSlow = results.some(({ durationMs }) => durationMs >= slowTime)
    if (isSlow !== target.isSlow)
      await withStores(({ webhooks }) => webhooks.setSlow(webhookId, isSlow))
    if (target.failingSince || results.some(hasFailed))
      await recordFailures(dependencies, target, results)
    const isLong = isSlow || performance.now() - startedAt > maxDuration
    if (isLong || claimed.length < maxClaimed || results.some(hasFailed)) break
  }
  return statements.findNextDue(webhookId)
}

function decryptSecrets(
  { secretBox }: DeliverDependencies,
  { id, secret, previousSecret }: Target,
): string[] {
  const texts = previousSecret ? [secret, previousSecret] : [secret]
  return texts.map((text) => secretBox.decrypt(text, secretContext(id)))
}

/** Sends a delivery. Records the result unless the webhook is failing: `recordFailures` does. */
async function attempt(
  { statements, send, now, random }: DeliverDependencies,
  { url, failingSince }: Target,
  { id, claimedAt, requestBody, attempts, firstFailedAt }: ClaimedDelivery,
  secrets: string[],
): Promise<Result> {
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
  const result: Result = {
    id,
    claimedAt,
    state: isDelivered ? 'delivered' : delay === undefined ? 'failed' : 'pending',
    nextAttemptAt: delay === undefined ? null : new Date(now().getTime() + delay),
    durationMs: Math.round(performance.now() - startedAt),
    responseStatus: status ?? null,
    responseBody: 'status' in response ? toText(response.body.toString('utf8')) : null,
    error: 'error' in response ? toText(response.error) : null,
    firstFailedAt,
  }
  if (isDelivered && !failingSince) await statements.finish(result)
  return result
}

type Result = Attempt & Pick<ClaimedDelivery, 'firstFailedAt'>

const hasFailed = ({ state }: Attempt) => state !== 'delivered'

/**
 * Records the results of requests to a webhook that is failing or begins to, all in one transaction,
 * because each waits for the others' change of the webhook. Deactivates it if it has failed for long.
 */
async function recordFailures(
  { withStores, now }: DeliverDependencies,
  { id: webhookId, url }: Target,
  results: Result[],
): Promise<void> {
  const record = async (tx: DeliverStores) => {
    const at = now()
    const failingSince = await tx.webhooks.noteAttempts(webhookId, !results.every(hasFailed), at)
    const recorded = new Set(await tx.deliveries.finish(results, at))
    const failed = results.filter(({ id, state }) => state === 'failed' && recorded.has(id))
    const exhausted = failed.map(({ firstFailedAt }) => new Date(firstFailedAt ?? at))
    if (failed.some(({ responseStatus }) => responseStatus === goneStatus))
      await deactivate(tx, webhookId, url, 'gone')
    else if (failingSince && recorded.size > 0 && hasFailedTooLong(failingSince, at, exhausted))
      await deactivate(tx, webhookId, url, 'failing')
  }
  await withStores((stores) => stores.transaction(record))
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

/** Returns text that PostgreSQL can store. */
function toText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\uFFFD')
}
