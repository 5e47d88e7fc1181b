import type { ActivityStore } from '../activity/store/activity-store.ts'
import { type Job, moreIf } from '../core/job.ts'
import type { Transactional } from '../core/request-context.ts'
import { deleteExpiredLinks, maxDeletedLinks } from './link-expiry.ts'
import type { LinkStore } from './store/link-store.ts'

/** Milliseconds between deletions of expired links. */
const expiryInterval = 30_000

type Dependencies = {
  openStores: () => Transactional<{ activity: ActivityStore; links: LinkStore }>
}

export function createLinkJobs({ openStores }: Dependencies): Job[] {
  return [
    {
      failure: 'Deleting expired links failed',
      interval: expiryInterval,
      run: async () => moreIf((await deleteExpiredLinks(openStores())) === maxDeletedLinks),
    },
  ]
}
