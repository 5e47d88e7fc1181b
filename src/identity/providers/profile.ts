import { controlCharacters } from '../../core/control-characters.ts'
import { normalizeEmail } from '../../core/email.ts'
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

/** Returns the first name that is not blank, without control characters. */
export function readName(...names: unknown[]): string {
  for (const name of names) {
    if (typeof name !== 'string') continue
    const text = name.replace(controlCharacter, ' ').trim()
    if (text !== '') return text.slice(0, 200).toWellFormed()
  }
  return ''
}

/** Returns an https URL, or an empty string for anything else. */
export function readAvatarUrl(value: unknown): string {
  if (typeof value !== 'string' || value.length > 2048 || !URL.canParse(value)) return ''
  const { protocol, href } = new URL(value)
  return protocol === 'https:' ? href : ''
}
