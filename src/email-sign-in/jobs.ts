import { type Job, moreIf } from '../core/job.ts'
import { mailFailure } from '../outbound/mail-client.ts'
import type { EmailSignInServices } from './services.ts'

/** Milliseconds between searches for requests: people wait for their code. */
const sendInterval = 500
const refusalInterval = 5000
const sweepInterval = 60_000

export function createEmailSignInJobs({ signInCodeWork }: EmailSignInServices): Job[] {
  const { send, recordRefused, sweep } = signInCodeWork
  return [
    { failure: mailFailure, interval: sendInterval, run: async () => moreIf(await send()) },
    {
      failure: 'Recording refused sign-in codes failed',
      interval: refusalInterval,
      run: async () => moreIf(await recordRefused()),
    },
    {
      failure: 'Deleting expired sign-in codes failed',
      interval: sweepInterval,
      run: async () => moreIf(await sweep()),
    },
  ]
}
