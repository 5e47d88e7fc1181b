import type { EventTable } from '../activity/events.ts'
import type { FeedStore } from '../activity/store/feed-store.ts'
import type { LogFailure } from '../core/log-failure.ts'
import { createFollowingHandlers } from './handlers.ts'
import { createLiveFeed } from './live-feed.ts'
import type { RelationStore } from './store/relation-store.ts'
import { followingStores } from './store/stores.ts'

type Dependencies = {
  /** The events of all features. */
  activityEvents: EventTable
  openStores: () => { feed: FeedStore; relations: RelationStore }
  logFailure: LogFailure
}

/** What watches run. */
export const parts = {
  stores: followingStores,
  createServices: ({ activityEvents, openStores, logFailure }: Dependencies) => ({
    feed: createLiveFeed(
      activityEvents,
      openStores,
      // Open watches continue with the next attempt.
      logFailure('Reading new activity entries failed'),
    ),
  }),
  createHandlers: createFollowingHandlers,
}
