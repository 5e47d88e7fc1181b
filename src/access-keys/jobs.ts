import { type Job, moreIf } from '../core/job.ts'
import type { AccessKeySettings } from './settings.ts'
import { maxPrunedRecords, type ResourceChangeStore } from './store/resource-change-store.ts'

type Dependencies = {
  resourceChanges: Pick<ResourceChangeStore, 'prune'>
  settings: AccessKeySettings
}

/** Milliseconds between deletions of old records. */
const pruneInterval = 60_000

export function createAccessKeyJobs({ resourceChanges, settings }: Dependencies): Job[] {
  return [
    {
      failure: 'Deleting old records of changed resources failed',
      interval: pruneInterval,
      run: async () => {
        const pruned = await resourceChanges.prune(settings.ACCESS_CHANGES_RETENTION_HOURS)
        return moreIf(pruned === maxPrunedRecords)
      },
    },
  ]
}
