import { type Db, PgBoss } from 'pg-boss'
import type { ExecuteSql } from '../../database/database.ts'

/** A job to attempt the due deliveries of a webhook. */
export type WebhookJob = { id: string; webhookId: string }

/**
 * The jobs that wake up a node when deliveries of a webhook are due. The deliveries themselves are
 * the record of what is to be sent, so a lost or repeated job does no harm.
 */
export type WebhookJobs = {
  /** Adds a job for each webhook that has none waiting. `at` delays them. */
  add(webhookIds: string[], at?: Date): Promise<void>
  /** Takes up to `limit` jobs. No other node gets them, and a webhook has one job at a time. */
  take(limit: number): Promise<WebhookJob[]>
  complete(jobs: WebhookJob[]): Promise<void>
  /** Returns the jobs of killed nodes to the queue, and deletes completed ones. */
  maintain(): Promise<void>
  stop(): Promise<void>
}

const queueName = 'webhooks'

/** Milliseconds by which delayed jobs are combined. */
const delayStep = 1000

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
    async add(webhookIds, at) {
      const isLater = at !== undefined && at.getTime() > Date.now()
      const step = isLater ? Math.ceil(at.getTime() / delayStep) : undefined
      const jobs = webhookIds.map((webhookId) => ({
        data: { webhookId },
        singletonKey: step === undefined ? webhookId : `${webhookId}/${step}`,
        ...(step !== undefined && { startAfter: new Date(step * delayStep) }),
      }))
      if (jobs.length > 0) await (await start()).insert(queueName, jobs)
    },
    async take(limit) {
      const jobs = await (await start()).fetch<{ webhookId: string }>(queueName, {
        batchSize: limit,
      })
      return jobs.map(({ id, data }) => ({ id, webhookId: data.webhookId }))
    },
    async complete(jobs) {
      const ids = jobs.map(({ id }) => id)
      await (await start()).complete(queueName, ids)
    },
    async maintain() {
      await (await start()).supervise(queueName)
    },
    async stop() {
      if (starting) await boss.stop({ graceful: false })
    },
  }
}
