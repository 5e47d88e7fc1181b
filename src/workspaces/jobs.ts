import { type Job, moreIf } from '../core/job.ts'
import { maxRemovedMembers, removeEndedMembers } from './member-expiry.ts'

/** Milliseconds between removals of members whose membership has ended. */
const expiryInterval = 30_000

/** Milliseconds between runs of the job that sends invitations. */
const mailInterval = 1000

export const mailFailure = 'Sending an e-mail failed'

/** `sendInvitations` sends the invitations that are due, and returns whether more may be due. */
export function createWorkspaceJobs(
  openStores: () => Parameters<typeof removeEndedMembers>[0],
  sendInvitations: () => Promise<boolean>,
): Job[] {
  return [
    {
      failure: 'Removing members whose membership has ended failed',
      interval: expiryInterval,
      run: async () =>
        moreIf((await removeEndedMembers(openStores(), new Date())) === maxRemovedMembers),
    },
    {
      failure: mailFailure,
      interval: mailInterval,
      run: async () => moreIf(await sendInvitations()),
    },
  ]
}
