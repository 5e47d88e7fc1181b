import type { LogFailure } from '../core/log-failure.ts'
import type { Database } from '../database/database.ts'
import type { EventTable } from './events.ts'
import { createLiveFeed } from './feed/live-feed.ts'
import { createActivityHandlers } from './handlers.ts'
import { createActivityJobs } from './jobs.ts'
import { FeedStore } from './store/feed-store.ts'
import { activityStores } from './store/stores.ts'

type Dependencies = {
  /** The events of all features. */
  activityEvents: EventTable
  database: Pick<Database, 'fork'>
  logFailure: LogFailure
}

/** What the activity log runs. */
export const parts = {
  stores: activityStores,
  createServices: ({ activityEvents, database, logFailure }: Dependencies) => ({
    feed: createLiveFeed(
      activityEvents,
      () => new FeedStore(database.fork()),
      // Open watches continue with the next attempt.
      logFailure('Reading new activity entries failed'),
    ),
  }),
  createHandlers: createActivityHandlers,
  createJobs: createActivityJobs,
}
