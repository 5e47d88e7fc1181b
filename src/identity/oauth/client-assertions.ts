import { createLocalJWKSet, decodeJwt, type JSONWebKeySet, jwtVerify } from 'jose'
import { hashSecret } from '../secret.ts'

/** The only type of client assertion (RFC 7523, section 2.2). */
export const assertionType = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** The algorithms that clients may sign assertions with. */
export const assertionAlgorithms = ['RS256', 'PS256', 'ES256', 'ES384', 'EdDSA']

/** Seconds until an assertion must expire, because used ones are kept until then. */
const maxLifetime = 3600

/** Seconds by which the clocks of clients may be ahead. */
const clockTolerance = 30

/** A client as it names itself in assertions, with its public keys. */
export type AssertionClient = { id: string; jwks: JSONWebKeySet | null }

/** What makes an assertion unique, and when it expires. */
export type ValidAssertion = { hash: string; expiresAt: Date }

/** Returns the client that an assertion claims to be from, before its signature is verified. */
export function readAssertionIssuer(assertion: string): string | undefined {
  try {
    return decodeJwt(assertion).iss
  } catch {
    return undefined
  }
}

/**
 * Verifies an assertion of a client (RFC 7523, section 3). Returns undefined if it is not valid.
 * Whether it has been used before is checked later.
 */
export async function verifyAssertion(
  assertion: string,
  client: AssertionClient,
  { issuer, now }: { issuer: string; now: Date },
): Promise<ValidAssertion | undefined> {
  if (!client.jwks) return undefined
  try {
    const { payload } = await jwtVerify(assertion, createLocalJWKSet(client.jwks), {
      algorithms: assertionAlgorithms,
      issuer: client.id,
      subject: client.id,
      audience: [issuer, `${issuer}/oauth/token`],
      requiredClaims: ['jti', 'exp'],
      currentDate: now,
      clockTolerance,
    })
    const { jti, exp = 0 } = payload
    if (typeof jti !== 'string' || exp > now.getTime() / 1000 + maxLifetime + clockTolerance)
      return undefined
    const expiresAt = new Date((exp + clockTolerance) * 1000)
    return { hash: hashSecret(`${client.id}\n${jti}`), expiresAt }
  } catch {
    return undefined
  }
}
