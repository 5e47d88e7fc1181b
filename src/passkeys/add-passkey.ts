import { randomBytes } from 'node:crypto'
import { generateRegistrationOptions } from '@simplewebauthn/server'
import type {
  BeginPasskeyRequest,
  BeginPasskeyResponse,
  CreatePasskeyRequest,
  PasskeyResponse,
} from '../../gen/daikon/v1/users.ts'
import { actorOf } from '../activity/actor.ts'
import { ServiceError } from '../core/errors.ts'
import { requireUser } from '../core/request-context.ts'
import { findMethod } from '../identity/session-provider.ts'
import { userInactive } from '../identity/user-errors.ts'
import { nameAuthenticator } from './authenticator-names.ts'
import { type ChallengeUse, challengeSeconds } from './challenges.ts'
import { consumeChallenge } from './consume-challenge.ts'
import type { PasskeyContext, PasskeyStores } from './context.ts'
import { renderPasskeyMail } from './mails.ts'
import { reasons } from './reasons.ts'
import { readCreation } from './response.ts'
import type { Passkey } from './store/passkey-store.ts'
import { algorithms, verifyCreation } from './verify.ts'
import { viewPasskey } from './view.ts'

/** The length of the handle of a user, in bytes (WebAuthn Level 3, 5.4.3). */
const handleBytes = 64

/** Returns the options with which the browser of the user creates a passkey. */
export async function beginPasskey(
  context: PasskeyContext,
  _request: BeginPasskeyRequest,
): Promise<BeginPasskeyResponse> {
  const { stores, principal, settings, passkeyServices } = context
  const { id: userId } = requireUser(principal)
  const { relyingParty, challenges } = passkeyServices
  const session = await requireSession(context)
  const passkeys = await stores.passkeys.list(userId)
  requireRoom(passkeys, settings.MAX_PASSKEYS_PER_USER)
  const { email, name } = await stores.users.requireProfile(userId)
  const handle = randomBytes(handleBytes).toString('base64url')
  const known = await stores.passkeys.ensureHandle(userId, handle)
  const options = await generateRegistrationOptions({
    rpID: relyingParty.id,
    rpName: new URL(relyingParty.origin).host,
    userID: new Uint8Array(Buffer.from(known, 'base64url')),
    userName: email,
    userDisplayName: name,
    challenge: decodeChallenge(
      challenges.create(useOf(context, { userId, sessionId: session.id })),
    ),
    timeout: challengeSeconds * 1000,
    attestationType: 'none',
    excludeCredentials: passkeys.map(({ credentialId: id }) => ({ id })),
    authenticatorSelection: { residentKey: 'required', userVerification: 'required' },
    supportedAlgorithmIDs: algorithms,
  })
  return { options: JSON.parse(JSON.stringify(options)) }
}

/** Adds the passkey that the browser of the user has created. */
export async function createPasskey(
  context: PasskeyContext,
  { credential, name: givenName }: CreatePasskeyRequest,
): Promise<PasskeyResponse> {
  const { stores, principal, settings, identity, passkeyServices } = context
  const { id: userId } = requireUser(principal)
  const { relyingParty } = passkeyServices
  const response = readCreation(credential ?? {})
  const session = await requireSession(context)
  const use = useOf(context, { userId, sessionId: session.id })
  const challenge = await consumeChallenge(context, response.response.clientDataJSON, use)
  const created = await verifyCreation(response, challenge, relyingParty)
  const { credentialId: subject, aaguid, publicKey, ...authenticator } = created
  const name = givenName?.trim() ?? nameAuthenticator(aaguid)
  const { added, email } = await stores.transaction(async (tx) => {
    const { isActive } = await tx.users.lock(userId)
    // The session may have ended before the lock was acquired.
    const current = isActive
      ? await tx.sessions.findByAccessToken(requireUser(principal).token.id)
      : undefined
    if (!current) throw userInactive()
    requireRoom(await tx.passkeys.list(userId), settings.MAX_PASSKEYS_PER_USER)
    const addedBy = await findMethod(tx, { userId, provider: current.provider })
    // It has no address of its own, by which it could be found.
    const account = { provider: 'passkey', subject, userId, email: '', hostedDomain: '', addedBy }
    const accountId = await tx.accounts.link(account)
    if (!accountId) throw new ServiceError(reasons.PASSKEY_TAKEN)
    await tx.passkeys.add({
      ...authenticator,
      accountId,
      rpId: relyingParty.id,
      publicKey: Buffer.from(publicKey).toString('base64url'),
      name,
    })
    await tx.activity.record(actorOf(principal), {
      action: 'user.passkey_added',
      targetId: userId,
      detail: { passkey_id: accountId, method: addedBy },
    })
    return {
      added: await requirePasskey(tx, userId, accountId),
      email: (await tx.users.requireProfile(userId)).email,
    }
  })
  identity.sendMail(renderPasskeyMail(email, { is: 'added', name }, identity.settings.BASE_URL))
  return viewPasskey(added)
}

/** Returns a passkey of a user. Throws not_found if the user does not have it. */
export async function requirePasskey(
  { passkeys }: Pick<PasskeyStores, 'passkeys'>,
  userId: string,
  id: string,
): Promise<Passkey> {
  const passkey = (await passkeys.list(userId)).find((one) => one.id === id)
  if (!passkey) throw new ServiceError(reasons.PASSKEY_NOT_FOUND)
  return passkey
}

/** Returns the session of the caller's token, to which challenges are bound. */
async function requireSession({
  stores,
  principal,
}: PasskeyContext): Promise<{ id: string; provider: string }> {
  const session = await stores.sessions.findByAccessToken(requireUser(principal).token.id)
  if (!session) throw userInactive()
  return session
}

function useOf(
  { passkeyServices: { relyingParty } }: PasskeyContext,
  { userId, sessionId }: { userId: string; sessionId: string },
): ChallengeUse {
  return { rpId: relyingParty.id, userId, sessionId }
}

function requireRoom(passkeys: Passkey[], max: number): void {
  if (passkeys.length >= max) throw new ServiceError(reasons.TOO_MANY_PASSKEYS)
}

function decodeChallenge(challenge: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(challenge, 'base64url'))
}
