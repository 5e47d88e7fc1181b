import { registerAccountClient } from '../../src/identity/built-in-clients.ts'
import { providerNames } from '../../src/identity/providers/provider.ts'
import { accountClientId } from '../../src/identity/store/client-store.ts'
import { createStores } from '../../src/server/stores.ts'
import { createAuthorizationRequest, signInAtAuthorize } from './oauth.ts'
import { expectOk } from './outcome.ts'
import {
  appUri,
  createPkce,
  createSignInEnvironment,
  type SignInEnvironmentOptions,
} from './sign-in.ts'
import {
  assertSoftPasskey,
  createSoftPasskey,
  type Deviation,
  type SoftPasskey,
} from './software-authenticator.ts'
import type { Transport } from './transports.ts'

/** The origin of daikon's pages in tests. */
export const origin = 'http://localhost:8000'

export type PasskeyEnvironment = Awaited<ReturnType<typeof createPasskeyEnvironment>>

/** Creates a sign-in environment in which people sign in with passkeys, too. */
export async function createPasskeyEnvironment(options: SignInEnvironmentOptions['options'] = {}) {
  const environment = await createSignInEnvironment({
    options: { SIGN_IN_METHODS: [...providerNames, 'passkey'], ...options },
  })
  await registerAccountClient(createStores(environment.database.fork()), origin)
  return environment
}

const accountUri = `${origin}/account/callback`

/** Signs a user in to the account page by a provider. Returns a token that may change the account. */
export async function signInToAccount(transport: Transport, email: string, provider = 'google') {
  const { request, verifier } = createAccountRequest()
  const { location } = await signInAtAuthorize(transport, email, request, provider)
  return exchangeForAccount(transport, location, verifier)
}

/** Signs a user in to the account page with a passkey. */
export async function signInToAccountWithPasskey(transport: Transport, passkey: SoftPasskey) {
  const { request, verifier } = createAccountRequest()
  const begun = expectOk(await transport.call('Authorize', { ...request, provider: 'passkey' }))
  const { location } = await comeBack(transport, openOf(begun), passkey)
  return exchangeForAccount(transport, location, verifier)
}

function createAccountRequest() {
  const more = { redirect_uri: accountUri, prompt: 'login' }
  return createAuthorizationRequest(accountClientId, more)
}

async function exchangeForAccount(
  transport: Transport,
  location: string,
  code_verifier: string,
): Promise<{ token: string; userId: string }> {
  const tokens = expectOk(
    await transport.call('IssueToken', {
      grant_type: 'authorization_code',
      client_id: accountClientId,
      code: new URL(location).searchParams.get('code') ?? '',
      redirect_uri: accountUri,
      code_verifier,
    }),
  )
  const token = tokens.access_token as string
  const { id } = expectOk(await transport.call('GetMe', {}, { token }))
  return { token, userId: id }
}

/** Adds a passkey to the user of a token. */
export async function addPasskey(
  transport: Transport,
  token: string,
  deviation: Deviation & { id?: string } = {},
): Promise<{ passkey: SoftPasskey; passkeyId: string }> {
  const options = await beginPasskey(transport, token)
  const { passkey, credential } = createSoftPasskey(options, origin, deviation)
  const { id } = expectOk(await transport.call('CreatePasskey', { credential }, { token }))
  return { passkey, passkeyId: id }
}

/** Returns the options for a new passkey. */
export async function beginPasskey(transport: Transport, token: string) {
  const response = expectOk(await transport.call('BeginPasskey', {}, { token }))
  return (response.options ?? response) as {
    challenge: string
    rp: { id: string }
    user: { id: string; name: string; displayName: string }
  } & Record<string, any>
}

/** A sign-in whose page is open in a browser. */
export type OpenSignIn = { state: string; login_state: string; verifier: string }

/** Begins a sign-in with a passkey to the client app, or to the admin console. */
export async function beginSignIn(
  transport: Transport,
  method: 'BeginLogin' | 'BeginAdminLogin' = 'BeginLogin',
  provider = 'passkey',
): Promise<OpenSignIn> {
  const { challenge, verifier } = createPkce()
  const app = {
    redirect_uri: appUri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
  }
  const begun = expectOk(
    await transport.call(method, { provider, ...(method === 'BeginLogin' && app) }),
  )
  return openOf(begun, verifier)
}

/** Returns the sign-in that a redirect to the page of passkeys has begun. */
export function openOf(begun: Record<string, string>, verifier = ''): OpenSignIn {
  const state = new URL(begun.location ?? '').searchParams.get('state') ?? ''
  return { state, login_state: begun.login_state ?? '', verifier }
}

/** Returns the options for the browser of a sign-in. */
export async function readOptions(transport: Transport, { state, login_state }: OpenSignIn) {
  const message = { state, login_state }
  const response = expectOk(await transport.call('BeginPasskeySignIn', message))
  return (response.options ?? response) as { challenge: string; rpId: string }
}

/** Sends the response of an authenticator to a sign-in. */
export async function assertIn(
  transport: Transport,
  open: OpenSignIn,
  passkey: SoftPasskey,
  deviation: Deviation = {},
) {
  const options = await readOptions(transport, open)
  const credential = assertSoftPasskey(passkey, options, origin, deviation)
  const { state, login_state } = open
  return transport.call('CompletePasskeySignIn', { state, login_state, credential })
}

/** Signs in with a passkey up to the callback. Returns its response. */
export async function comeBack(
  transport: Transport,
  open: OpenSignIn,
  passkey: SoftPasskey,
  method: 'CompleteLogin' | 'CompleteAdminLogin' = 'CompleteLogin',
  deviation: Deviation = {},
) {
  const { location } = expectOk(await assertIn(transport, open, passkey, deviation))
  const callback = Object.fromEntries(new URL(location).searchParams)
  const message = { provider: 'passkey', ...callback, login_state: open.login_state }
  return expectOk(await transport.call(method, message))
}

/** Signs in with a passkey to the client app. Returns the tokens of the first workspace. */
export async function signInWithPasskey(
  transport: Transport,
  passkey: SoftPasskey,
  deviation: Deviation = {},
): Promise<Record<string, string>> {
  const open = await beginSignIn(transport)
  const { location } = await comeBack(transport, open, passkey, 'CompleteLogin', deviation)
  const code = new URL(location).searchParams.get('code') ?? ''
  const { workspaces } = expectOk(await transport.call('ListCodeWorkspaces', { code }))
  const exchange = { code, workspace_id: workspaces[0]?.id, code_verifier: open.verifier }
  return expectOk(await transport.call('ExchangeToken', exchange))
}
