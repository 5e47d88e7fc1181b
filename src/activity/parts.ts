import { activityHandlers } from './handlers.ts'
import { createActivityJobs } from './jobs.ts'
import { activityStores } from './store/stores.ts'

/** What the activity log runs. */
export const parts = {
  stores: activityStores,
  createHandlers: () => activityHandlers,
  createJobs: createActivityJobs,
}
