import { createHash, randomBytes } from 'node:crypto'

/** A new key for a backend service: 256 random bits. Shown once; the database knows its hash. */
export function makeServiceKey(): string {
  return `dk_${randomBytes(32).toString('base64url')}`
}

/** SHA-256 of the whole key, hex: what keys are found by (specification 5.5). */
export function hashServiceKey(key: string): string {
  return createHash('sha256').update(key).digest('hex')
}

/** The first characters, by which people tell keys apart. */
export function serviceKeyPrefix(key: string): string {
  return key.slice(0, 10)
}
