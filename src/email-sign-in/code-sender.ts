import type { ActivityStore } from '../activity/store/activity-store.ts'
import type { CentralSettings } from '../config/settings.ts'
import { domainOf } from '../core/email.ts'
import type { Transactional } from '../core/request-context.ts'
import type { SignInConnections } from '../identity/ports.ts'
import { hashSecret } from '../identity/secret.ts'
import type { IdentitySettings } from '../identity/settings.ts'
import { maySignUp } from '../identity/sign-in.ts'
import type { EnforcementStore } from '../identity/store/enforcement-store.ts'
import type { UserStore } from '../identity/store/user-store.ts'
import { MailRefused, type SendMail } from '../outbound/mail-client.ts'
import { drawCode, type MacOfCode } from './code.ts'
import { renderCodeMail } from './code-mail.ts'
import type { ClaimedCode, SignInCodeStore } from './store/sign-in-code-store.ts'

/** The maximum number of e-mails that this process sends at the same time. */
const maxMails = 10

type SenderStores = {
  activity: ActivityStore
  enforcements: EnforcementStore
  signInCodes: SignInCodeStore
  signInConnections: SignInConnections
  users: UserStore
}

export type CodeSenderDependencies = {
  openStores: () => Transactional<SenderStores>
  send: SendMail
  settings: Pick<IdentitySettings, 'SIGN_UP' | 'ADMIN_EMAILS'> & Pick<CentralSettings, 'BASE_URL'>
  macOf: MacOfCode
  now: () => Date
  /** Called when an e-mail could not be sent. It is sent again later, unless the server refuses it. */
  onFailure: (error: unknown) => void
}

/**
 * Creates a function that processes due requests for codes and returns whether more may be due. Several nodes can
 * call it concurrently. It decides whether there is an e-mail at all, so that the response to the person who asks
 * does not depend on it.
 */
export function createCodeSender(dependencies: CodeSenderDependencies): () => Promise<boolean> {
  const { openStores, send, settings, macOf, now, onFailure } = dependencies

  function prepare() {
    return openStores().transaction(async (tx) => {
      const claimed = await tx.signInCodes.claim(now(), maxMails)
      // In the same order on all nodes, because the budgets are locked.
      const ordered = claimed.toSorted((a, b) => (a.email < b.email ? -1 : 1))
      const prepared = []
      for (const asked of ordered) {
        const mailId = await takeMail(tx, asked)
        if (mailId === undefined) {
          await tx.signInCodes.settle(asked)
          continue
        }
        const code = drawCode()
        await tx.signInCodes.draw(asked, macOf(asked.flowHash, asked.email, code))
        prepared.push({ asked, code, mailId })
      }
      return { prepared, count: claimed.length }
    })
  }

  /** Returns the ID of an e-mail that may be sent, or undefined. */
  async function takeMail(
    tx: SenderStores,
    { email, browserHash }: ClaimedCode,
  ): Promise<string | undefined> {
    if (!(await mayUseCodes(tx, settings, email))) return undefined
    return tx.signInCodes.takeMail({ addressHash: hashSecret(email), browserHash }, now())
  }

  async function sendOne(asked: ClaimedCode, code: string, mailId: string): Promise<void> {
    try {
      await send(renderCodeMail(asked.email, code, settings.BASE_URL))
    } catch (error) {
      onFailure(error)
      const { signInCodes } = openStores()
      await signInCodes.returnMail(mailId)
      if (error instanceof MailRefused) return signInCodes.settle(asked)
      return signInCodes.retry(asked, now())
    }
    await openStores().signInCodes.settle(asked)
  }

  return async () => {
    const { prepared, count } = await prepare()
    await Promise.all(prepared.map(({ asked, code, mailId }) => sendOne(asked, code, mailId)))
    return count > 0
  }
}

/** Returns whether a code may be sent to an address. Nobody who asks for one learns the answer. */
export async function mayUseCodes(
  {
    enforcements,
    signInConnections,
    users,
  }: Pick<SenderStores, 'enforcements' | 'signInConnections' | 'users'>,
  settings: Pick<IdentitySettings, 'SIGN_UP' | 'ADMIN_EMAILS'>,
  email: string,
): Promise<boolean> {
  if ((await enforcements.findByDomain(domainOf(email))) !== undefined) return false
  const user = await users.findByEmail(email)
  if (user) return user.isActive && user.emailSignIn
  return maySignUp(settings, { signInConnections }, email)
}

/** Removes codes that wrong ones have ended, and records that. Returns whether there may be more. */
export function recordRefusedCodes({
  openStores,
}: Pick<CodeSenderDependencies, 'openStores'>): Promise<boolean> {
  return openStores().transaction(async (tx) => {
    const emails = await tx.signInCodes.takeRefused(maxMails)
    for (const email of emails) {
      const user = await tx.users.findByEmail(email)
      const event = user ? { targetId: user.id, detail: { email } } : { detail: {} }
      await tx.activity.record(
        { actorId: undefined },
        { action: 'user.sign_in_code_refused', ...event },
      )
    }
    return emails.length === maxMails
  })
}
