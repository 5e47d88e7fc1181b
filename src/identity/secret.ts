import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** Creates a secret of 256 random bits in base64url. */
export function createSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** Returns the SHA-256 hash of a secret in hex. The database stores only such hashes. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}

/** Compares two secrets in constant time, regardless of their lengths. */
export function isSameSecret(actual: string, expected: string): boolean {
  return timingSafeEqual(hash('sha256', actual, 'buffer'), hash('sha256', expected, 'buffer'))
}

/**
 * Returns whether `challenge` is the S256 challenge of `verifier` (RFC 7636, 4.6), in constant
 * time.
 */
export function matchesChallenge(verifier: string, challenge: string): boolean {
  const actual = hash('sha256', verifier, 'buffer')
  const expected = Buffer.from(challenge, 'base64url')
  return expected.length === actual.length && timingSafeEqual(actual, expected)
}
