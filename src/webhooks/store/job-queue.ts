import { type Db, PgBoss } from 'pg-boss'
import type { ExecuteSql } from '../../database/database.ts'

/** A webhook with deliveries to attempt. `isSlow`: whether its last requests took long. */
export type DueWebhook = { id: string; isSlow: boolean }

/** A job to attempt the due deliveries of a webhook. `retryCount` tells it from later runs of the job. */
export type WebhookJob = { id: string; retryCount: number; webhookId: string }

/**
 * The jobs that wake up a node when deliveries of a webhook are due. The deliveries themselves are
 * the record of what is to be sent, so a lost or repeated job does no harm.
 */
export type WebhookJobs = {
  /** Adds a job for each webhook that has none waiting. `at` delays them. */
  add(webhooks: DueWebhook[], at?: Date): Promise<void>
  /**
   * Takes up to `limit` jobs, of slow webhooks or of the others. No other node gets them before the
   * lease ends, and a webhook has one job at a time.
   */
  take(limit: number, isSlow: boolean): Promise<WebhookJob[]>
  /** Renews the leases of jobs. */
  renew(jobs: WebhookJob[]): Promise<void>
  complete(jobs: WebhookJob[]): Promise<void>
  /** Returns the jobs whose lease has ended to the queue, and deletes completed ones. */
  maintain(): Promise<void>
  stop(): Promise<void>
}

const queueName = 'webhooks'

/** Milliseconds by which delayed jobs are combined. */
const delayStep = 1000

/** Seconds after which a job is lost unless its lease is renewed. */
const leaseSeconds = 15

/** Seconds between searches for lost jobs, and between deletions of completed ones, of all nodes. */
const searchSeconds = 5
const deletionSeconds = 60

/** Nodes of earlier versions take jobs of both priorities. */
const priorities = { quick: 0, slow: -1 }

/**
 * Opens the queue of pg-boss. It uses a pool of the database and needs no session of its own, so it
 * works behind a connection pooler; migrations create its tables.
 */
export function openWebhookJobs(
  execute: ExecuteSql,
  onFailure: (error: unknown) => void,
): WebhookJobs {
  const db: Db = { executeSql: execute }
  const boss = new PgBoss({
    db,
    schema: 'pgboss',
    migrate: false,
    createSchema: false,
    supervise: false,
    schedule: false,
    reindex: false,
    monitorVacuum: false,
    monitorIntervalSeconds: searchSeconds,
    maintenanceIntervalSeconds: deletionSeconds,
  })
  boss.on('error', onFailure)
  let starting: Promise<unknown> | undefined

  async function start(): Promise<PgBoss> {
    starting ??= boss.start()
    try {
      await starting
    } catch (error) {
      starting = undefined
      throw error
    }
    return boss
  }

  return {
    async add(webhooks, at) {
      const isLater = at !== undefined && at.getTime() > Date.now()
      const step = isLater ? Math.ceil(at.getTime() / delayStep) : undefined
      const jobs = webhooks.map(({ id, isSlow }) => ({
        data: { webhookId: id },
        group: { id },
        singletonKey: `${id}${isSlow ? '/slow' : ''}${step === undefined ? '' : `/${step}`}`,
        priority: isSlow ? priorities.slow : priorities.quick,
        heartbeatSeconds: leaseSeconds,
        retryDelay: 0,
        ...(step !== undefined && { startAfter: new Date(step * delayStep) }),
      }))
      if (jobs.length > 0) await (await start()).insert(queueName, jobs)
    },
    async take(limit, isSlow) {
      const jobs = await (await start()).fetch<{ webhookId: string }>(queueName, {
        batchSize: limit,
        groupConcurrency: 1,
        ...(isSlow ? { maxPriority: priorities.slow } : { minPriority: priorities.quick }),
      })
      return jobs.map(({ id, retryCount, data }) => ({ id, retryCount, webhookId: data.webhookId }))
    },
    async renew(jobs) {
      if (jobs.length > 0) await (await start()).touch(queueName, jobs)
    },
    async complete(jobs) {
      await (await start()).complete(queueName, jobs)
    },
    async maintain() {
      await (await start()).supervise(queueName)
    },
    async stop() {
      if (starting) await boss.stop({ graceful: false })
    },
  }
}
