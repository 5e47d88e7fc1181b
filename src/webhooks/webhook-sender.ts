import type { Transactional } from '../core/request-context.ts'
import { requestScope } from '../core/request-scope.ts'
import { createSemaphore } from '../core/semaphore.ts'
import { createTurns } from '../core/turns.ts'
import { type DeliverDependencies, type DeliverStores, deliverDue } from './deliver.ts'
import { type DispatchStores, dispatchEvents, maxDispatched } from './dispatch.ts'
import { createSharedStatements } from './shared-statements.ts'
import type { WebhookJob, WebhookJobs } from './store/job-queue.ts'

/** Sends the events of the activity log to webhooks. Any number of nodes share the work. */
export type WebhookSender = {
  /** Creates the deliveries of new events. Returns whether there are more. */
  dispatch(): Promise<boolean>
  /** Starts the jobs that are due and does not wait for them. */
  sendDue(): Promise<void>
  /** Adds a job to attempt the due deliveries of a webhook. */
  wake(webhookId: string): void
  /** Adds the jobs that killed nodes did not add, and cleans up the queue. */
  maintain(): Promise<void>
  /** Waits for the jobs in progress. */
  settle(): Promise<void>
  /** Starts no further jobs and waits for those in progress. */
  stop(): Promise<void>
}

export type WebhookSenderDependencies = Omit<
  DeliverDependencies,
  'withStores' | 'statements' | 'takeTurn'
> & {
  openStores: () => Transactional<DeliverStores & DispatchStores>
  jobs: WebhookJobs
  /** Called when a job fails; its deliveries are attempted again later. */
  onFailure: (error: unknown) => void
  /** Logs a warning for the operator. */
  warn: (text: string) => void
}

/** The maximum number of webhooks to which this process sends at the same time. */
const maxJobs = 64

/** The maximum number of database connections that the jobs use, which calls need as well. */
const maxConnections = 4

/** Milliseconds after which a due delivery without a job gets one. */
const overdueTime = 60_000

const gapWarning =
  'The activity log has no entry at the position of the webhooks, because entries were deleted or the database was restored: events in between are not sent'

/**
 * Creates the sender of a node. A webhook has at most one job in progress, so one that does not
 * respond delays no other.
 */
export function createWebhookSender(dependencies: WebhookSenderDependencies): WebhookSender {
  const { openStores, jobs, now, onFailure, warn } = dependencies
  const inTurn = createSemaphore(maxConnections)
  const running = new Set<Promise<void>>()
  let isStopped = false

  /** Whether more jobs may be due than were taken. */
  let hasMore = false

  async function sendDue(): Promise<void> {
    const free = maxJobs - running.size
    if (isStopped || free <= 0) return
    hasMore = false
    const taken = await jobs.take(free)
    hasMore ||= taken.length === free
    for (const job of taken) start(run(job))
  }

  function start(work: Promise<void>): void {
    const task = work.catch(onFailure).finally(() => {
      running.delete(task)
      if (hasMore && running.size <= maxJobs / 2) start(sendDue())
    })
    running.add(task)
  }

  const withStores: DeliverDependencies['withStores'] = (work) => inTurn(() => work(openStores()))
  const statements = createSharedStatements({ withStores, now }, jobs)
  const takeTurn = createTurns()
  const deliverDependencies = { ...dependencies, withStores, statements, takeTurn }

  async function run(job: WebhookJob): Promise<void> {
    const next = await deliverDue(deliverDependencies, job.webhookId)
    await statements.complete(job)
    if (next) await inTurn(() => jobs.add([job.webhookId], next))
  }

  return {
    async dispatch() {
      const dispatched = await dispatchEvents(openStores(), now(), () => warn(gapWarning))
      await jobs.add(dispatched.webhookIds)
      if (dispatched.webhookIds.length > 0) await sendDue()
      return dispatched.events === maxDispatched
    },
    sendDue,
    // Must not be cancelled with the call that wakes the webhook.
    wake: (webhookId) => requestScope.exit(() => start(jobs.add([webhookId]).then(sendDue))),
    async maintain() {
      const before = new Date(now().getTime() - overdueTime)
      await jobs.add(await openStores().deliveries.findOverdue(before))
      await jobs.maintain()
    },
    async settle() {
      while (running.size > 0) await Promise.all(running)
    },
    async stop() {
      isStopped = true
      while (running.size > 0) await Promise.all(running)
      await jobs.stop()
    },
  }
}
