import { createHash } from 'node:crypto'
import { EncryptJWT, jwtDecrypt } from 'jose'
import type { Proofs } from './providers/own-methods.ts'
import type { Identity } from './providers/provider.ts'
import { hashSecret } from './secret.ts'

/** The time from a page to the callback, in seconds: a redirect. */
const proofSeconds = 60

/**
 * Creates proofs: JWTs encrypted (RFC 7516: dir, A256GCM) with a key derived from the session secret. Each
 * is used once, as the state is that it belongs to.
 */
export function createProofs(secret: string, now: () => Date): Proofs {
  const key = createHash('sha256').update('sign-in proof').update(secret).digest()
  return {
    seal: (identity, state) =>
      new EncryptJWT({ identity })
        .setProtectedHeader({ alg: 'dir', enc: 'A256GCM' })
        .setSubject(hashSecret(state))
        .setExpirationTime(Math.floor(now().getTime() / 1000) + proofSeconds)
        .encrypt(key),

    async open(proof, state) {
      try {
        const { payload } = await jwtDecrypt(proof, key, {
          keyManagementAlgorithms: ['dir'],
          contentEncryptionAlgorithms: ['A256GCM'],
          requiredClaims: ['exp'],
          subject: hashSecret(state),
          currentDate: now(),
        })
        return reviveTimes(payload.identity as Identity)
      } catch {
        return undefined
      }
    },
  }
}

/** JSON has no times. */
function reviveTimes({ authentication, ...identity }: Identity): Identity {
  if (!authentication) return identity
  const { time, ...rest } = authentication
  return { ...identity, authentication: { ...rest, ...(time && { time: new Date(time) }) } }
}
