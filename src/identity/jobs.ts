import { type Job, untilDone } from '../core/job.ts'
import type { LogoutSender } from './oauth/logout-notifications.ts'

const logoutInterval = 1000

export const logoutFailure = 'Sending logout tokens failed'

export function createIdentityJobs({ sendDue }: Pick<LogoutSender, 'sendDue'>): Job[] {
  return [{ failure: logoutFailure, interval: logoutInterval, run: untilDone(sendDue) }]
}
