import { createBatcher } from '../database/batching.ts'
import { retryDeadlocks } from '../database/transaction.ts'
import type { Attempt, ClaimedDelivery, DeliveryStore } from './store/delivery-store.ts'
import type { DueWebhook, WebhookJob, WebhookJobs } from './store/job-queue.ts'
import type { Target, WebhookStore } from './store/webhook-store.ts'

/** What the statements need. */
export type SharedStatementDependencies = {
  /** Runs work with stores, when a connection is free for it. */
  withStores: <Result>(
    work: (stores: { deliveries: DeliveryStore; webhooks: WebhookStore }) => Promise<Result>,
  ) => Promise<Result>
  now: () => Date
}

/** The deliveries of a webhook that are to be attempted now. */
export type Due = { target: Target; claimed: ClaimedDelivery[] }

/** A webhook with pending deliveries, and when the next one is due. */
export type NextDue = { webhook: DueWebhook; at: Date }

/** The statements of jobs. Jobs that run at the same time share them. */
export type SharedStatements = {
  /** Claims deliveries of a webhook that are due, up to `maxClaimed`. */
  claim(webhookId: string): Promise<Due | undefined>
  /** Records the result of an attempt. */
  finish(attempt: Attempt): Promise<void>
  /** Returns when the next delivery of a webhook is due, if any is pending. */
  findNextDue(webhookId: string): Promise<NextDue | undefined>
  complete(job: WebhookJob): Promise<void>
}

/** The maximum number of deliveries of a webhook that one job claims at the same time. */
export const maxClaimed = 8

/** Each kind of statement runs one at a time, so that more jobs share the next one. */
const options = { maxRunning: 1 }

export function createSharedStatements(
  { withStores, now }: SharedStatementDependencies,
  jobs: Pick<WebhookJobs, 'complete'>,
): SharedStatements {
  const claimAll = (webhookIds: string[]) =>
    withStores(async ({ deliveries, webhooks }) => {
      const claimed = await deliveries.claim(webhookIds, maxClaimed, now())
      if (claimed.length === 0) return webhookIds.map(() => undefined)
      const byWebhook = Map.groupBy(claimed, ({ webhookId }) => webhookId)
      const targets = await webhooks.findTargets([...byWebhook.keys()])
      const due = new Map(
        targets.map((target) => [target.id, { target, claimed: byWebhook.get(target.id) ?? [] }]),
      )
      return webhookIds.map((id) => due.get(id))
    })
  const finishAll = async (attempts: Attempt[]) => {
    // A webhook that is deactivated at the same time locks its deliveries in another order.
    await withStores(({ deliveries }) => retryDeadlocks(() => deliveries.finish(attempts, now())))
    return attempts.map(() => undefined)
  }
  const findAll = (webhookIds: string[]) =>
    withStores(async ({ deliveries }) => {
      const found = await deliveries.findNextDue(webhookIds)
      const next = new Map(
        found.map(({ id, isSlow, due }) => [id, { webhook: { id, isSlow }, at: new Date(due) }]),
      )
      return webhookIds.map((id) => next.get(id))
    })
  const completeAll = async (completed: WebhookJob[]) => {
    await withStores(() => jobs.complete(completed))
    return completed.map(() => undefined)
  }
  return {
    claim: createBatcher(claimAll, options),
    finish: createBatcher(finishAll, options),
    findNextDue: createBatcher(findAll, options),
    complete: createBatcher(completeAll, options),
  }
}
