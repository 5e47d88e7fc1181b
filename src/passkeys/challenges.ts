import { createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** How long a challenge is valid, in seconds. */
export const challengeSeconds = 300

/**
 * What a challenge is for: a sign-in with its state, or a new passkey of a user in a session; and for
 * which relying party.
 */
export type ChallengeUse = { rpId: string } & (
  | { signIn: string }
  | { userId: string; sessionId: string }
)

/** Creates and checks challenges. They are not stored: each proves what it was made for. */
export type Challenges = {
  /** Returns a challenge in base64url. */
  create(use: ChallengeUse): string
  /** Whether a challenge was made for this use and has not expired. It may have been used. */
  isValid(challenge: string, use: ChallengeUse): boolean
}

const nonceBytes = 16
const timeBytes = 6
const length = nonceBytes + timeBytes + 32

/** Creates challenges: a nonce, the expiry and an HMAC with a key derived from the session secret. */
export function createChallenges(secret: string, now: () => Date): Challenges {
  const key = createHash('sha256').update('passkey challenge').update(secret).digest()
  const sign = (content: Buffer, use: ChallengeUse) =>
    createHmac('sha256', key).update(content).update(describeUse(use)).digest()
  return {
    create(use) {
      const expiry = Buffer.alloc(timeBytes)
      expiry.writeUIntBE(now().getTime() + challengeSeconds * 1000, 0, timeBytes)
      const content = Buffer.concat([randomBytes(nonceBytes), expiry])
      return Buffer.concat([content, sign(content, use)]).toString('base64url')
    },
    isValid(challenge, use) {
      const bytes = Buffer.from(challenge, 'base64url')
      // Another spelling of the same bytes could be used once more.
      if (bytes.length !== length || bytes.toString('base64url') !== challenge) return false
      const content = bytes.subarray(0, nonceBytes + timeBytes)
      const isOwn = timingSafeEqual(bytes.subarray(content.length), sign(content, use))
      return isOwn && bytes.readUIntBE(nonceBytes, timeBytes) > now().getTime()
    },
  }
}

function describeUse(use: ChallengeUse): string {
  return JSON.stringify(
    'signIn' in use
      ? ['get', use.rpId, use.signIn]
      : ['create', use.rpId, use.userId, use.sessionId],
  )
}
