import { type Job, moreIf } from '../core/job.ts'
import type { Transactional } from '../core/request-context.ts'
import { maxPrunedEntries, pruneActivity } from './retention.ts'
import { maxSealedEntries, sealActivity } from './seal.ts'
import type { ActivityStore } from './store/activity-store.ts'
import type { ChainStore } from './store/chain-store.ts'

/** Milliseconds between runs of the job that seals entries. */
const sealInterval = 250

/** Milliseconds between deletions of old entries. */
const pruneInterval = 60_000

/** `retentionDays` is how long entries are kept; undefined if they are kept forever. */
export function createActivityJobs(
  openStores: () => Transactional<{ activity: ActivityStore; chain: ChainStore }>,
  retentionDays: number | undefined,
): Job[] {
  const seal: Job = {
    failure: 'Sealing the activity log failed',
    interval: sealInterval,
    run: async () => moreIf((await sealActivity(openStores())) === maxSealedEntries),
  }
  if (retentionDays === undefined) return [seal]
  const prune: Job = {
    failure: 'Deleting old activity entries failed',
    interval: pruneInterval,
    run: async () => {
      const pruned = await pruneActivity(openStores(), new Date(), retentionDays)
      return moreIf(pruned === maxPrunedEntries)
    },
  }
  return [seal, prune]
}
