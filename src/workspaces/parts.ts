import type { CentralSettings } from '../config/settings.ts'
import type { LogFailure } from '../core/log-failure.ts'
import { mailFailure, type SendMail } from '../outbound/mail-client.ts'
import { workspaceHandlers } from './handlers.ts'
import type { InvitationOptions } from './invitation-links.ts'
import { createInvitationSender, type InvitationSenderDependencies } from './invitation-sender.ts'
import { createWorkspaceJobs } from './jobs.ts'
import { workspaceStores } from './store/stores.ts'

type Dependencies = Pick<InvitationSenderDependencies, 'openStores' | 'now'> & {
  settings: Pick<CentralSettings, 'BASE_URL'>
  /** Undefined if no mail server is configured. */
  sendMail: SendMail | undefined
  logFailure: LogFailure
}

/** What workspaces run. */
export const parts = {
  stores: workspaceStores,
  createServices({ openStores, now, settings, sendMail, logFailure }: Dependencies) {
    const baseUrl = settings.BASE_URL
    const invitations: InvitationOptions = { baseUrl, areMailed: sendMail !== undefined }
    const onFailure = logFailure(mailFailure)
    /** E-mails the invitations that are due. Returns whether more may be due. */
    const sendInvitations = sendMail
      ? createInvitationSender({ openStores, send: sendMail, baseUrl, now, onFailure })
      : async () => false
    return { invitations, sendInvitations }
  },
  createHandlers: () => workspaceHandlers,
  createJobs: createWorkspaceJobs,
}
