import type { LogFailure } from '../core/log-failure.ts'
import type { Database } from '../database/database.ts'
import { createAccessKeyHandlers } from './handlers.ts'
import { createAccessKeyJobs } from './jobs.ts'
import { createResourceChangeStore } from './store/resource-change-store.ts'
import { accessKeyStores } from './store/stores.ts'
import { createWatchAccess } from './watch/watch-access.ts'

type Dependencies = { database: Pick<Database, 'statements'>; logFailure: LogFailure }

/** What access keys run. */
export const parts = {
  stores: accessKeyStores,
  createServices: ({ database: { statements }, logFailure }: Dependencies) => ({
    resourceChanges: createResourceChangeStore(statements),
    // Open watches continue with the next attempt.
    watchAccess: createWatchAccess({
      statements,
      onFailure: logFailure('Reading changed resources failed'),
    }),
  }),
  createHandlers: createAccessKeyHandlers,
  createJobs: createAccessKeyJobs,
}
