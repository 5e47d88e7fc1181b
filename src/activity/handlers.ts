import { listActivity } from './activity-log.ts'

/** The handlers of the activity log. */
export const activityHandlers = { AdminService: { listActivity } }
