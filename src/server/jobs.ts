import { createActivityJobs } from '../activity/jobs.ts'
import { createConnectionJobs } from '../connections/jobs.ts'
import type { Job } from '../core/job.ts'
import { type RunningJob, runEvery } from '../core/run-every.ts'
import type { Database } from '../database/database.ts'
import { createSweepJob } from '../database/sweep.ts'
import { createDeletedSweepJob } from '../database/sweep-deleted.ts'
import { createIdentityJobs } from '../identity/jobs.ts'
import { createPermissionJobs } from '../permissions/jobs.ts'
import { createWebhookJobs } from '../webhooks/jobs.ts'
import { createWorkspaceJobs } from '../workspaces/jobs.ts'
import type { Application } from './application.ts'
import type { Config } from './config.ts'
import { createStores } from './stores.ts'

/** Returns the jobs of the database and of all features. */
export function createJobs(
  database: Database,
  application: Application,
  { ACTIVITY_RETENTION_DAYS: retentionDays }: Config,
): Job[] {
  const openStores = () => createStores(database.fork())
  return [
    createSweepJob(database),
    createDeletedSweepJob(database),
    ...createIdentityJobs(application.logoutSender),
    ...createWorkspaceJobs(openStores, application.sendInvitations),
    ...createPermissionJobs(openStores),
    ...createConnectionJobs(application.checkDomains),
    ...createWebhookJobs(application.webhookSender),
    ...createActivityJobs(openStores, retentionDays),
  ]
}

/** Runs jobs until they are stopped. `logFailure` returns what logs the errors of a job. */
export function startJobs(
  jobs: Job[],
  logFailure: (text: string) => (error: unknown) => void,
): RunningJob[] {
  return jobs.map(({ failure, interval, run }) => runEvery(interval, run, logFailure(failure)))
}
