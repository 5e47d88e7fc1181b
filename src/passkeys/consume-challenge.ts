import { hashSecret } from '../identity/secret.ts'
import { type ChallengeUse, challengeSeconds } from './challenges.ts'
import type { PasskeyContext } from './context.ts'
import { readClientData, refuse } from './response.ts'

/**
 * Returns the challenge of a response, which can be used once. Throws unless it was made for this use
 * within the last minutes.
 */
export async function consumeChallenge(
  { stores, identity, passkeyServices: { challenges } }: PasskeyContext,
  clientDataJson: string,
  use: ChallengeUse,
): Promise<string> {
  const { challenge } = readClientData(clientDataJson)
  if (!challenges.isValid(challenge, use))
    throw refuse(['its challenge has expired, or was made for another sign-in, session or domain'])
  const expiresAt = new Date(identity.clock().getTime() + challengeSeconds * 1000)
  if (await stores.codes.consumeState(hashSecret(challenge), expiresAt)) return challenge
  identity.onReplay('passkey_challenge')
  throw refuse(['its challenge has been used before'])
}
