import type { Transactional } from '../core/request-context.ts'
import { MailRefused, type SendMail } from '../outbound/mail-client.ts'
import { createLink } from './invitation-links.ts'
import { renderInvitationMail } from './invitation-mail.ts'
import type { ClaimedMail, InvitationStore } from './store/invitation-store.ts'

/** The maximum number of e-mails that this process sends at the same time. */
const maxMails = 10

export type InvitationSenderDependencies = {
  openStores: () => Transactional<{ invitations: InvitationStore }>
  send: SendMail
  baseUrl: string
  now: () => Date
  /** Called when an e-mail could not be sent. It is sent again later, unless the server refuses it. */
  onFailure: (error: unknown) => void
}

/**
 * Creates a function that e-mails the invitations that are due and returns whether more may be due.
 * Any number of nodes can call it. Each attempt has a link of its own, so that the database
 * contains only hashes of tokens.
 */
export function createInvitationSender({
  openStores,
  send,
  baseUrl,
  now,
  onFailure,
}: InvitationSenderDependencies): () => Promise<boolean> {
  async function prepare() {
    return openStores().transaction(async (tx) => {
      const mails = await tx.invitations.claimMails(now(), maxMails)
      const prepared = []
      for (const mail of mails)
        prepared.push({ mail, url: await createLink(tx, baseUrl, mail, now()) })
      return prepared
    })
  }

  async function sendOne(mail: ClaimedMail, url: string): Promise<void> {
    try {
      await send(renderInvitationMail(mail, url))
    } catch (error) {
      onFailure(error)
      const stores = openStores()
      if (!(error instanceof MailRefused)) return stores.invitations.retryMail(mail, now())
      const { status } = error
      // In a transaction, which is repeated if the person is removed at the same time.
      return stores.transaction((tx) => tx.invitations.refuseMail(mail, status, now()))
    }
    await openStores().invitations.removeMail(mail)
  }

  return async () => {
    const prepared = await prepare()
    await Promise.all(prepared.map(({ mail, url }) => sendOne(mail, url)))
    return prepared.length > 0
  }
}
