import { createSecret, hashSecret } from './secret.ts'

/**
 * Creates the secret of a confidential client app. It is returned once; the database stores only
 * its hash.
 */
export function createClientSecret(): string {
  return `dkcs_${createSecret()}`
}

/** Returns the SHA-256 hash of the whole secret, which identifies it in the database. */
export const hashClientSecret = hashSecret

/** Returns the first characters of a secret, so that people can distinguish secrets. */
export function clientSecretPrefix(secret: string): string {
  return secret.slice(0, 12)
}
