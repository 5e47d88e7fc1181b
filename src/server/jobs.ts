import type { Job } from '../core/job.ts'
import type { LogFailure } from '../core/log-failure.ts'
import type { Transactional } from '../core/request-context.ts'
import { type RunningJob, runEvery } from '../core/run-every.ts'
import type { Database } from '../database/database.ts'
import { createSweepJob } from '../database/sweep.ts'
import { createDeletedSweepJob } from '../database/sweep-deleted.ts'
import type { Config } from './config.ts'
import { parts } from './parts.ts'
import type { Services } from './services.ts'
import { createStores, type Stores } from './stores.ts'

/** What features create their jobs with. */
type JobDependencies = Services & {
  openStores: () => Transactional<Stores>
  settings: Config
}

/** Returns the jobs of the database and of all features. */
export function createJobs(database: Database, services: Services, settings: Config): Job[] {
  const openStores = () => createStores(database.fork())
  const dependencies: JobDependencies = { ...services, openStores, settings }
  return [
    createSweepJob(database),
    createDeletedSweepJob(database),
    ...parts.flatMap((part) => ('createJobs' in part ? part.createJobs(dependencies) : [])),
  ]
}

/** Runs jobs until they are stopped. */
export function startJobs(jobs: Job[], logFailure: LogFailure): RunningJob[] {
  return jobs.map(({ failure, interval, run }) => runEvery(interval, run, logFailure(failure)))
}
