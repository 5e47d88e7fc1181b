import { listActivity } from './activity-log.ts'
import type { LiveFeed } from './feed/live-feed.ts'
import { createWatchActivity } from './watch.ts'
import { createWatchChanges } from './watch-changes.ts'

/** Creates the handlers of the activity log. */
export function createActivityHandlers({ feed }: { feed: LiveFeed }) {
  return {
    ActivityService: { watch: createWatchActivity(feed) },
    AdminService: { listActivity },
    UserService: { watchChanges: createWatchChanges(feed) },
  }
}
