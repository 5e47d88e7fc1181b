import type { ActivityStore } from '../activity/store/activity-store.ts'
import { type Job, moreIf } from '../core/job.ts'
import type { Transactional } from '../core/request-context.ts'
import { maxRecordedEnds, recordEnds } from './record-ends.ts'
import type { DelegationStore } from './store/delegation-store.ts'

/** Milliseconds between recordings of ends, and between deletions of delegations that ended long ago. */
const [endInterval, sweepInterval] = [30_000, 60_000]

type Dependencies = {
  openStores: () => Transactional<{ activity: ActivityStore; delegations: DelegationStore }>
}

export function createDelegationJobs({ openStores }: Dependencies): Job[] {
  return [
    {
      failure: 'Recording the end of delegations failed',
      interval: endInterval,
      run: async () => moreIf((await recordEnds(openStores())) === maxRecordedEnds),
    },
    {
      failure: 'Deleting ended delegations failed',
      interval: sweepInterval,
      run: async () => moreIf(await openStores().delegations.deleteEnded()),
    },
  ]
}
