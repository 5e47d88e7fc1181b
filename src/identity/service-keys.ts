import { hashSecret, makeSecret } from './secret.ts'

/** A new key for a backend service. Shown once; the database knows its hash. */
export function makeServiceKey(): string {
  return `dk_${makeSecret()}`
}

/** What a key is found by: SHA-256 of the whole of it (specification 5.5). */
export const hashServiceKey = hashSecret

/** The first characters, by which people tell keys apart. */
export function serviceKeyPrefix(key: string): string {
  return key.slice(0, 10)
}
