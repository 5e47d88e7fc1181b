import { createSecret, hashSecret } from './secret.ts'

/** Creates the key of a backend service. It is returned once; the database stores only its hash. */
export function createServiceKey(): string {
  return `dk_${createSecret()}`
}

/** Returns the SHA-256 hash of the whole key, which identifies it in the database. */
export const hashServiceKey = hashSecret

/** Returns the first characters of a key, so that people can tell keys apart. */
export function serviceKeyPrefix(key: string): string {
  return key.slice(0, 10)
}
