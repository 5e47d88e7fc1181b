import { hash, randomBytes, timingSafeEqual } from 'node:crypto'

/** 256 random bits, fit for URLs. */
export function makeSecret(): string {
  return randomBytes(32).toString('base64url')
}

/** What secrets are stored and found by: SHA-256, hex. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret, 'hex')
}

/** Whether SHA-256 of the verifier is the challenge (RFC 7636, 4.6), in constant time. */
export function matchesChallenge(verifier: string, challenge: string): boolean {
  const given = hash('sha256', verifier, 'buffer')
  const expected = Buffer.from(challenge, 'base64url')
  return expected.length === given.length && timingSafeEqual(given, expected)
}
