import type { ActivityStore } from '../activity/store/activity-store.ts'
import { type Job, moreIf } from '../core/job.ts'
import type { Transactional } from '../core/request-context.ts'
import { deleteExpiredShares, maxDeletedShares } from './share-expiry.ts'
import { type AccessChangeStore, maxPrunedChanges } from './store/access-change-store.ts'
import type { ShareStore } from './store/share-store.ts'

type Stores = {
  accessChanges: AccessChangeStore
  activity: ActivityStore
  shares: ShareStore
}

/** Milliseconds between deletions of expired shares. */
const expiryInterval = 30_000

/** Milliseconds between deletions of old access changes. */
const pruneInterval = 60_000

export function createPermissionJobs({
  openStores,
}: {
  openStores: () => Transactional<Stores>
}): Job[] {
  return [
    {
      failure: 'Deleting expired shares failed',
      interval: expiryInterval,
      run: async () => moreIf((await deleteExpiredShares(openStores())) === maxDeletedShares),
    },
    {
      failure: 'Deleting old access changes failed',
      interval: pruneInterval,
      run: async () => moreIf((await openStores().accessChanges.prune()) === maxPrunedChanges),
    },
  ]
}
