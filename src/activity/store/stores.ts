import { ChainStore } from './chain-store.ts'
import { FeedStore } from './feed-store.ts'

/** The stores of the feature but the log itself, which needs the events of all features. */
export const activityStores = {
  chain: ChainStore,
  feed: FeedStore,
}
