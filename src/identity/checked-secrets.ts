import { hash } from 'node:crypto'
import { createSecret } from './secret.ts'

/** The number of characters of the checksum at the end of a secret. */
const checksumLength = 6

/**
 * The prefixes that tell kinds of secrets apart: API keys, secrets of management apps, and SCIM tokens.
 */
export type SecretPrefix = 'da_' | 'dm_' | 'ds_'

/**
 * Creates a secret with 256 random bits. It ends with a checksum, so that secret scanners and this
 * server recognize it without looking it up.
 */
export function createCheckedSecret(prefix: SecretPrefix): string {
  const secret = `${prefix}${createSecret()}`
  return secret + checksumOf(secret)
}

/** Whether a text has the form of a secret of this kind, with the right checksum. */
export function isCheckedSecret(prefix: SecretPrefix, text: string): boolean {
  if (!text.startsWith(prefix) || !/^.{3}[\w-]{49}$/.test(text)) return false
  return checksumOf(text.slice(0, -checksumLength)) === text.slice(-checksumLength)
}

/** Returns the first characters of a secret, so that people can distinguish secrets. */
export function checkedSecretPrefix(secret: string): string {
  return secret.slice(0, 10)
}

function checksumOf(text: string): string {
  return hash('sha256', text, 'base64url').slice(0, checksumLength)
}
