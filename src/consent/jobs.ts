import { type Job, moreIf } from '../core/job.ts'
import type { Transactional } from '../core/request-context.ts'
import { forgetClients, maxForgotten } from './forget-clients.ts'
import type { ConsentStore } from './store/consent-store.ts'

/** Milliseconds between searches for clients to which no consent is left. */
const interval = 60_000

type Dependencies = { openStores: () => Transactional<{ consents: ConsentStore }> }

export function createConsentJobs({ openStores }: Dependencies): Job[] {
  return [
    {
      failure: 'Deleting clients without consents failed',
      interval,
      run: async () => moreIf((await forgetClients(openStores())) === maxForgotten),
    },
  ]
}
