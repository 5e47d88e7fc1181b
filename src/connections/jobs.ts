import { type Job, moreIf } from '../core/job.ts'
import { maxCheckedDomains } from './domain-verification.ts'

/** Milliseconds between searches for domains that are due. */
const checkInterval = 60_000

/** `checkDomains` checks the domains that are due, and returns their number. */
export function createConnectionJobs(checkDomains: () => Promise<number>): Job[] {
  return [
    {
      failure: 'Checking the domains of connections failed',
      interval: checkInterval,
      run: async () => moreIf((await checkDomains()) === maxCheckedDomains),
    },
  ]
}
