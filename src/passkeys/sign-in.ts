import { generateAuthenticationOptions } from '@simplewebauthn/server'
import type {
  BeginPasskeySignInRequest,
  BeginPasskeySignInResponse,
  CompletePasskeySignInRequest,
  CompletePasskeySignInResponse,
  OpenPasskeyPageRequest,
  OpenPasskeyPageResponse,
} from '../../gen/daikon/v1/auth.ts'
import { ServiceError } from '../core/errors.ts'
import type { IdentityContext } from '../identity/identity-dependencies.ts'
import { authorizationUrl } from '../identity/oauth/authorization-response.ts'
import { createLink, createPage } from '../identity/oauth/hosted-page.ts'
import { invitationUrl } from '../identity/oauth/invitation.ts'
import { requiresPasskey } from '../identity/oauth/sign-in-age.ts'
import { callbackUrl, requireProvider } from '../identity/oauth-flow.ts'
import { finishOwnFlow, type OwnFlowRequest, openOwnFlow } from '../identity/own-flow.ts'
import type { Identity } from '../identity/providers/provider.ts'
import { isSameSecret } from '../identity/secret.ts'
import type { OAuthState } from '../identity/state-cookie.ts'
import { type ChallengeUse, challengeSeconds } from './challenges.ts'
import { consumeChallenge } from './consume-challenge.ts'
import type { PasskeyContext } from './context.ts'
import { reasons } from './reasons.ts'
import { readAssertion, refuse } from './response.ts'
import type { PasskeyKey } from './store/passkey-store.ts'
import { verifyAssertion } from './verify.ts'

type SignInContext = Omit<IdentityContext, 'stores'> &
  PasskeyContext &
  Pick<IdentityContext, 'stores'>

/** Displays the page on which a user signs in with a passkey. */
export async function openPasskeyPage(
  context: SignInContext,
  request: OpenPasskeyPageRequest,
): Promise<OpenPasskeyPageResponse> {
  const login = await openPasskeyFlow(context, request)
  const options = await createOptions(context, login)
  const fields = [
    { name: 'state', value: request.state },
    { name: 'options', value: JSON.stringify(options) },
    { name: 'seconds', value: String(challengeSeconds) },
  ]
  const links = [createLink({ label: 'I have no passkey here', url: leaveUrl(context, login) })]
  return { page: createPage('passkey', { fields, links }) }
}

/** Returns new options for a page that has been shown for longer than its challenge is valid. */
export async function beginPasskeySignIn(
  context: SignInContext,
  request: BeginPasskeySignInRequest,
): Promise<BeginPasskeySignInResponse> {
  return { options: await createOptions(context, await openPasskeyFlow(context, request)) }
}

/** Verifies the response of an authenticator, and returns where the sign-in goes on. */
export async function completePasskeySignIn(
  context: SignInContext,
  request: CompletePasskeySignInRequest,
): Promise<CompletePasskeySignInResponse> {
  const { stores, identity, passkeyServices } = context
  const { relyingParty } = passkeyServices
  const login = await openPasskeyFlow(context, request)
  const response = readAssertion(request.credential ?? {})
  const { clientDataJSON, userHandle } = response.response
  const challenge = await consumeChallenge(context, clientDataJSON, useOf(context, login))
  const now = identity.clock()
  // A copied passkey is recorded, so its refusal must not roll the transaction back.
  const { passkey, isRefused } = await stores.transaction(async (tx) => {
    const passkey = await tx.passkeys.lockByCredential(response.id)
    // Whose passkey it is remains unknown, also whether it exists.
    if (!passkey || !isSameSecret(userHandle, passkey.handle))
      throw new ServiceError(reasons.PASSKEY_UNKNOWN)
    const { id, isBackupEligible } = passkey
    const key = {
      credentialId: response.id,
      publicKey: Buffer.from(passkey.publicKey, 'base64url'),
      isBackupEligible,
    }
    const verified = await verifyAssertion(response, challenge, key, relyingParty)
    const isRegressed = hasRegressed(passkey, verified.counter)
    const isRefused = isRegressed && !isBackupEligible
    if (isRegressed) {
      await tx.activity.record(
        { actorId: undefined },
        {
          action: 'user.passkey_counter_regressed',
          targetId: passkey.userId,
          detail: { passkey_id: id, refused: String(isRefused) },
        },
      )
    }
    if (!isRefused) await tx.passkeys.recordUse(id, verified, now)
    return { passkey, isRefused }
  })
  if (isRefused)
    throw refuse(['the counter of the passkey did not grow, so it may have been copied'])
  return { location: await finishOwnFlow(context, login, identify(response.id, passkey, now)) }
}

/** Whether a counter did not grow. Authenticators that do not count send 0 (WebAuthn Level 3, 6.1.1). */
export function hasRegressed({ counter: stored }: { counter: number }, counter: number): boolean {
  return (counter > 0 || stored > 0) && counter <= stored
}

/**
 * Returns the identity of a user who has signed in with a passkey: possession, presence and verification of
 * the user are several factors (RFC 8176).
 */
function identify(
  credentialId: string,
  { id, isBackupEligible }: PasskeyKey,
  time: Date,
): Identity & { provider: 'passkey' } {
  const amr = ['pop', 'user', 'mfa', ...(isBackupEligible ? ['swk'] : [])]
  return {
    provider: 'passkey',
    subject: credentialId,
    passkeyId: id,
    email: undefined,
    emailVerified: false,
    emailProblem: 'passkey_removed',
    name: '',
    givenName: '',
    familyName: '',
    avatarUrl: '',
    authentication: { time, amr },
  }
}

/** Returns the login of a page. Throws not_found if nobody signs in with passkeys in its flow. */
async function openPasskeyFlow(
  context: SignInContext,
  request: OwnFlowRequest,
): Promise<OAuthState> {
  const login = await openOwnFlow(context, request)
  await requireProvider(context, 'passkey', login.flow)
  return login
}

/**
 * Returns where a user without a passkey goes: to the other ways to sign in, or back to the client app
 * that accepts nothing else.
 */
function leaveUrl(context: SignInContext, login: OAuthState): string {
  const { settings } = context.identity
  const { client, invitation, flow, secrets } = login
  if (invitation !== undefined) return invitationUrl(settings.BASE_URL, invitation)
  if (client && 'authorization' in client && !requiresPasskey(client.authorization)) {
    const { provider: _, ...request } = client.authorization
    return authorizationUrl(context, request)
  }
  const refusal = new URLSearchParams({ state: secrets.state, error: 'access_denied' })
  return `${callbackUrl(settings, flow, { name: 'passkey' })}?${refusal}`
}

async function createOptions(context: SignInContext, login: OAuthState): Promise<object> {
  const { challenges, relyingParty } = context.passkeyServices
  const challenge = challenges.create(useOf(context, login))
  const options = await generateAuthenticationOptions({
    rpID: relyingParty.id,
    challenge: new Uint8Array(Buffer.from(challenge, 'base64url')),
    timeout: challengeSeconds * 1000,
    userVerification: 'required',
  })
  return JSON.parse(JSON.stringify(options))
}

function useOf(
  { passkeyServices: { relyingParty } }: PasskeyContext,
  { secrets }: OAuthState,
): ChallengeUse {
  return { rpId: relyingParty.id, signIn: secrets.state }
}
