import type { LiveFeed } from './live-feed.ts'
import { createWatchActivity } from './watch.ts'
import { createWatchChanges } from './watch-changes.ts'

/** Creates the handlers of watches. */
export function createFollowingHandlers({ feed }: { feed: LiveFeed }) {
  return {
    ActivityService: { watch: createWatchActivity(feed) },
    UserService: { watchChanges: createWatchChanges(feed) },
  }
}
