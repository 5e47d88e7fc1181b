import { generateKeyPairSync, randomUUID } from 'node:crypto'
import { exportJWK, SignJWT } from 'jose'
import { assertionType } from '../../src/identity/oauth/client-assertions.ts'

const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })

/** The public key of `signAssertion`. */
export const jwk = { ...(await exportJWK(publicKey)), kid: 'first', alg: 'ES256', use: 'sig' }

/** Signs an assertion. `changes` replaces claims; undefined removes one. */
export function signAssertion(
  clientId: string,
  changes: Record<string, unknown> = {},
  key = privateKey,
): Promise<string> {
  const exp = Math.floor(Date.now() / 1000) + 60
  const aud = 'http://localhost:8000'
  const claims = { iss: clientId, sub: clientId, aud, jti: randomUUID(), exp }
  return new SignJWT({ ...claims, ...changes })
    .setProtectedHeader({ alg: 'ES256', kid: 'first' })
    .sign(key)
}

/** The parameters with which a client presents an assertion. */
export function asserting(client_assertion: string, more: object = {}): object {
  return { client_assertion_type: assertionType, client_assertion, ...more }
}
