import { askForCode } from './ask-for-code.ts'
import { confirmAddress } from './confirm-address.ts'
import { enterCode } from './enter-code.ts'

/** The handlers of codes by e-mail. */
export const emailSignInHandlers = {
  EmailSignInService: { askForCode, enterCode, confirmAddress },
}
