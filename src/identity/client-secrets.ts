import { createSecret, hashSecret } from './secret.ts'

/** Creates the secret of a confidential client app. It is returned once; the database stores its hash. */
export function createClientSecret(): string {
  return `dkcs_${createSecret()}`
}

/** Returns the SHA-256 hash of the whole secret, by which the database finds it. */
export const hashClientSecret = hashSecret

/** Returns the first characters of a secret, by which people tell secrets apart. */
export function clientSecretPrefix(secret: string): string {
  return secret.slice(0, 12)
}
