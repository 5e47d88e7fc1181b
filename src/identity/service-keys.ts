import { ServiceError } from '../core/errors.ts'
import { reasons } from './reasons.ts'
import { createSecret, hashSecret } from './secret.ts'

/** Creates the key of a backend service. It is returned once; the database stores only its hash. */
export function createServiceKey(): string {
  return `dk_${createSecret()}`
}

/** Returns the SHA-256 hash of the whole key, which identifies it in the database. */
export const hashServiceKey = hashSecret

/** Returns the first characters of a key, so that people can distinguish keys. */
export function serviceKeyPrefix(key: string): string {
  return key.slice(0, 10)
}

export function serviceKeyMissing(): ServiceError {
  return new ServiceError(reasons.SERVICE_KEY_MISSING)
}
