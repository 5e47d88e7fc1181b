import { nameArguments, nameArgumentsIn } from './argument-names.ts'
import {
  createError,
  type DaikonError,
  describeFields,
  type ErrorCode,
  type ErrorDetails,
} from './errors.ts'

/** How to obtain a service key. */
export const keyAdvice = 'Create one with `npm run daikon -- service-app create`.'

/** How to fix an error, by its reason. Appended to the server's message. */
const advice: Record<string, string> = {
  SERVICE_KEY_MISSING: `Set serviceKey. ${keyAdvice}`,
  SERVICE_KEY_INVALID:
    'Check serviceKey: the key is wrong, was replaced, or its service app was deactivated.',
  OTHER_SERVICE: 'Set service to the service_name of your service key.',
  TOKEN_MISSING: 'Use `as` to pass the access token of the user making the change.',
  TOKEN_EXPIRED: 'Let the user refresh it and try again.',
  TOKEN_INVALID: 'Pass an access token that daikon has issued, without the word "Bearer".',
  TOKEN_REVOKED: 'The user must sign in again.',
}

/** Creates the error for a problem that the server has reported. It names arguments of the client. */
export function createServerError(
  code: ErrorCode,
  reason: string,
  message: string,
  details: ErrorDetails,
): DaikonError {
  const fields = nameArguments(details.fields ?? [])
  const text = fields.length > 0 ? describeFields(fields) : nameArgumentsIn(message)
  return createError(code, reason, withAdvice(reason, text), { ...details, fields })
}

/** Appends the advice for a reason to the server's message. */
export function withAdvice(reason: string, message: string): string {
  const hint = advice[reason]
  return hint ? `${message}. ${hint}` : message
}
