import { setTimeout as sleep } from 'node:timers/promises'
import type { Transactional } from '../core/request-context.ts'
import { requestScope } from '../core/request-scope.ts'
import { createSemaphore } from '../core/semaphore.ts'
import { createTurns } from '../core/turns.ts'
import { type DeliverDependencies, type DeliverStores, deliverDue } from './deliver.ts'
import { type DispatchStores, dispatchEvents, maxDispatched } from './dispatch.ts'
import { createLanes } from './lanes.ts'
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
  /**
   * Renews the leases of the jobs in progress, adds the jobs that killed nodes did not add, and cleans
   * up the queue.
   */
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

/**
 * The maximum number of webhooks to which this process sends at the same time, not counting those that
 * become slow in the meantime.
 */
const maxQuick = 64

/** The maximum number of slow webhooks to which this process begins to send at the same time. */
const maxSlow = 32

/** The maximum number of database connections that the jobs use, which calls need as well. */
const maxConnections = 4

/** Milliseconds after which a due delivery without a job gets one. */
const overdueTime = 15_000

/** Milliseconds between renewals of leases, which end after 15 seconds. */
export const renewInterval = 5000

const gapWarning =
  'The activity log has no entry at the position of the webhooks, because entries were deleted or the database was restored: events in between are not sent'

/**
 * Creates the sender of a node. A webhook has at most one job in progress. Its lane is free again once
 * a response takes long, and slow webhooks have lanes of their own: the others do not wait for them.
 */
export function createWebhookSender(dependencies: WebhookSenderDependencies): WebhookSender {
  const { openStores, jobs, now, onFailure, warn } = dependencies
  const inTurn = createSemaphore(maxConnections)
  const running = new Set<Promise<void>>()
  const held = new Set<WebhookJob>()
  let isStopped = false

  const openLanes = (size: number, isSlow: boolean) =>
    createLanes<WebhookJob>({
      size,
      take: async (limit) => (isStopped ? [] : jobs.take(limit, isSlow)),
      run: (job, leave) => run(job, isSlow ? () => {} : leave),
      start,
    })
  const lanes = [openLanes(maxQuick, false), openLanes(maxSlow, true)]

  async function sendDue(): Promise<void> {
    for (const fill of lanes) await fill()
  }

  function start(work: Promise<void>): void {
    const task = work.catch(onFailure).finally(() => running.delete(task))
    running.add(task)
  }

  const renew = () => jobs.renew([...held])

  const withStores: DeliverDependencies['withStores'] = (work) => inTurn(() => work(openStores()))
  const statements = createSharedStatements({ withStores, now }, jobs)
  const takeTurn = createTurns()
  const deliverDependencies = { ...dependencies, withStores, statements, takeTurn }

  async function run(job: WebhookJob, leaveLane: () => void): Promise<void> {
    held.add(job)
    try {
      const next = await deliverDue(deliverDependencies, job.webhookId, leaveLane)
      await statements.complete(job)
      if (next) await inTurn(() => jobs.add([next.webhook], next.at))
    } finally {
      held.delete(job)
    }
  }

  return {
    async dispatch() {
      const dispatched = await dispatchEvents(openStores(), now(), () => warn(gapWarning))
      await jobs.add(dispatched.webhooks)
      if (dispatched.webhooks.length > 0) await sendDue()
      return dispatched.events === maxDispatched
    },
    sendDue,
    // Must not be cancelled with the call that wakes the webhook. Somebody waits for the response of a
    // slow one, too.
    wake: (id) => requestScope.exit(() => start(jobs.add([{ id, isSlow: false }]).then(sendDue))),
    async maintain() {
      await renew()
      const before = new Date(now().getTime() - overdueTime)
      await jobs.add(await openStores().deliveries.findOverdue(before))
      await jobs.maintain()
    },
    async settle() {
      while (running.size > 0) await Promise.all(running)
    },
    async stop() {
      isStopped = true
      while (running.size > 0) {
        await renew().catch(onFailure)
        const pause = sleep(renewInterval, undefined, { ref: false })
        await Promise.race([pause, Promise.all(running)])
      }
      await jobs.stop()
    },
  }
}
