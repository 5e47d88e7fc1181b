import type { LogFailure } from '../core/log-failure.ts'
import type { IdentitySettings } from '../identity/settings.ts'
import { mailFailure, type SendMail } from '../outbound/mail-client.ts'
import { createMacOfCode, type MacOfCode } from './code.ts'
import { type CodeSenderDependencies, createCodeSender, recordRefusedCodes } from './code-sender.ts'

type Dependencies = Pick<CodeSenderDependencies, 'openStores' | 'now'> & {
  settings: CodeSenderDependencies['settings'] & IdentitySettings
  /** Undefined if no mail server is configured. */
  sendMail: SendMail | undefined
  logFailure: LogFailure
}

export type EmailSignInServices = {
  macOfCode: MacOfCode
  /** What each node does for codes by e-mail. Each returns whether there may be more to do. */
  signInCodeWork: Record<'send' | 'recordRefused' | 'sweep', () => Promise<boolean>>
}

/** The maximum number of rows that one statement deletes. */
const maxRows = 1000

export function createEmailSignInServices({
  openStores,
  now,
  settings,
  sendMail,
  logFailure,
}: Dependencies): EmailSignInServices {
  const macOf = createMacOfCode(settings.SESSION_SECRET_KEY)
  const onFailure = logFailure(mailFailure)
  return {
    macOfCode: macOf,
    signInCodeWork: {
      send: sendMail
        ? createCodeSender({ openStores, send: sendMail, settings, macOf, now, onFailure })
        : async () => false,
      recordRefused: () => recordRefusedCodes({ openStores }),
      sweep: async () => (await openStores().signInCodes.sweep(now(), maxRows)) >= maxRows,
    },
  }
}
