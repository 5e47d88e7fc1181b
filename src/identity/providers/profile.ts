import { normalizeEmail } from '../../core/email.ts'
import { ProviderError } from './provider-error.ts'

/** A subject fit to be a key: printable ASCII, as OpenID Connect has it. */
export function readSubject(value: unknown): string {
  if (typeof value === 'string' && /^[\x21-\x7e]{1,255}$/.test(value)) return value
  throw new ProviderError('invalid_response', 'the identity has no usable subject')
}

/** An address in our spelling; undefined for anything else. */
export function readEmail(value: unknown): string | undefined {
  return typeof value === 'string' ? normalizeEmail(value) : undefined
}

/** The first of the names that says something, without control characters. */
export function readName(...names: unknown[]): string {
  for (const name of names) {
    if (typeof name !== 'string') continue
    const text = name.replace(/\p{Cc}+/gu, ' ').trim()
    if (text !== '') return text.slice(0, 200).toWellFormed()
  }
  return ''
}

/** An https URL that browsers may be given; empty for anything else. */
export function readAvatarUrl(value: unknown): string {
  if (typeof value !== 'string' || value.length > 2048 || !URL.canParse(value)) return ''
  const { protocol, href } = new URL(value)
  return protocol === 'https:' ? href : ''
}
