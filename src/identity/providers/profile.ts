import { controlCharacters, isBlank } from '../../core/control-characters.ts'
import { normalizeEmail } from '../../core/email.ts'
import type { Identity, ReportedAuthentication } from './provider.ts'
import { ProviderError } from './provider-error.ts'

const controlCharacter = new RegExp(`[${controlCharacters}]+`, 'gu')

/** Reads a subject: up to 255 printable ASCII characters (OpenID Connect Core 1.0, 2). */
export function readSubject(value: unknown): string {
  if (typeof value === 'string' && /^[\x21-\x7e]{1,255}$/.test(value)) return value
  throw new ProviderError('invalid_response', 'the identity has no valid subject')
}

/** Returns the normalized address, or undefined if it is not valid. */
export function readEmail(value: unknown): string | undefined {
  return typeof value === 'string' ? normalizeEmail(value) : undefined
}

/** Returns the address of an identity, or what prevents its use. */
export function readAddress(
  value: unknown,
  isVerified: boolean,
): Pick<Identity, 'email' | 'emailVerified' | 'emailProblem'> {
  const email = readEmail(value)
  if (email !== undefined && isVerified) return { email, emailVerified: true }
  const isMissing = value === undefined || value === null || value === ''
  const emailProblem = isMissing
    ? 'email_missing'
    : email === undefined
      ? 'email_unsupported'
      : 'email_not_verified'
  return { email, emailVerified: false, emailProblem }
}

/** Returns whether `email_verified` is true. Some providers send text instead of the boolean. */
export function isTrue(claim: unknown): boolean {
  return claim === true || claim === 'true'
}

/** Returns the first name that is not blank, without control characters. */
export function readName(...names: unknown[]): string {
  for (const name of names) {
    if (typeof name !== 'string') continue
    const text = name.replace(controlCharacter, ' ').trim()
    if (!isBlank(text)) return text.slice(0, 200).toWellFormed()
  }
  return ''
}

/** Returns an https URL, or an empty string for anything else. */
export function readAvatarUrl(value: unknown): string {
  if (typeof value !== 'string' || value.length > 2048 || !URL.canParse(value)) return ''
  const { protocol, href } = new URL(value)
  return protocol === 'https:' ? href : ''
}

/** Reads how and when the person authenticated. Malformed claims are omitted. */
export function readAuthentication(claims: Record<string, unknown>): ReportedAuthentication {
  const { auth_time, amr } = claims
  const isTime = Number.isSafeInteger(auth_time) && Number(auth_time) > 0
  // Access tokens contain the methods, so their size matters.
  const isMethod = (value: unknown) =>
    typeof value === 'string' && /^[\x21-\x7e][\x20-\x7e]{0,63}$/.test(value)
  return {
    ...(isTime && Number(auth_time) < 1e11 && { time: new Date(Number(auth_time) * 1000) }),
    ...(Array.isArray(amr) && { amr: amr.filter(isMethod).slice(0, 20) as string[] }),
  }
}
