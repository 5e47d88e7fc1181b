import { createHmac } from 'node:crypto'
import { createSecret, hashSecret, isSameSecret } from '../identity/secret.ts'

/** The time in which a form can be sent, in seconds. */
export const formSeconds = 600

/**
 * The time for which a new form is not accepted, in milliseconds: a click this early was meant for what the page
 * replaced.
 */
export const minFormAge = 500

/** What a form is bound to. */
export type FormBinding = {
  /** The secret of the browser session. */
  browserSecret: string
  userId: string
  requestHash: string
}

export type FormAction = 'allow' | 'cancel'

/** A form that was displayed for the request, user and browser that send it. */
export type SentForm = { action: FormAction; isYoung: boolean; hash: string; expiresAt: Date }

/** Whether a confirmation is one of these forms, valid or not. */
export function looksLikeForm(confirmation: string): boolean {
  return confirmation.startsWith('consent.')
}

/** Creates the tokens of a form, one for each of its buttons. */
export function createFormTokens(binding: FormBinding, now: Date): Record<FormAction, string> {
  const nonce = `${now.getTime()}.${createSecret()}`
  const sign = (action: FormAction) => `consent.${action}.${nonce}.${macOf(binding, action, nonce)}`
  return { allow: sign('allow'), cancel: sign('cancel') }
}

/** Reads a token. Returns undefined if it is not one of this request, user and browser, or is too old. */
export function readFormToken(
  binding: FormBinding,
  token: string,
  now: Date,
): SentForm | undefined {
  const [, action = '', nonce = '', time = '', mac = ''] =
    /^consent\.(allow|cancel)\.((\d{1,15})\.[\w-]{43})\.([\w-]{43})$/.exec(token) ?? []
  if (!isSameSecret(mac, macOf(binding, action, nonce))) return undefined
  const age = now.getTime() - Number(time)
  if (age > formSeconds * 1000) return undefined
  return {
    action: action as FormAction,
    isYoung: age < minFormAge,
    hash: hashSecret(nonce),
    expiresAt: new Date(Number(time) + formSeconds * 1000),
  }
}

function macOf({ browserSecret, userId, requestHash }: FormBinding, action: string, nonce: string) {
  return createHmac('sha256', browserSecret)
    .update(`consent ${action} ${nonce} ${userId} ${requestHash}`)
    .digest('base64url')
}
