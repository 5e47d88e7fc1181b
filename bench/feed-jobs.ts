import { createActivityJobs } from '../src/activity/jobs.ts'
import type { Database } from '../src/database/database.ts'
import type { Application } from '../src/server/application.ts'
import { startJobs } from '../src/server/jobs.ts'
import { createStores } from '../src/server/stores.ts'
import { createWebhookJobs } from '../src/webhooks/jobs.ts'

/** Starts the jobs of a node through which events reach watches and webhooks. */
export function startFeedJobs({ services }: Application, database: Database): void {
  const openStores = () => createStores(database.fork())
  const settings = { ACTIVITY_RETENTION_DAYS: undefined }
  const jobs = [...createActivityJobs({ openStores, settings }), ...createWebhookJobs(services)]
  startJobs(jobs, () => (error) => process.stderr.write(`${error}\n`))
}
