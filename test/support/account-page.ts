import { randomUUID } from 'node:crypto'
import { registerAccountClient } from '../../src/identity/account-client.ts'
import type { ProviderName } from '../../src/identity/providers/provider.ts'
import { accountClientId } from '../../src/identity/store/client-store.ts'
import { createStores } from '../../src/server/stores.ts'
import { issuer, readPage, signInWithOAuth } from './oauth.ts'
import { expectOk } from './outcome.ts'
import { followRedirects } from './providers/browser-flow.ts'
import type { createSignInEnvironment } from './sign-in.ts'
import type { TestEnvironment } from './test-environment.ts'
import type { Transport } from './transports.ts'

type SignInEnvironment = Awaited<ReturnType<typeof createSignInEnvironment>>

/**
 * Returns an access token of the account page. `age` is how long ago the user signed in, in seconds. The
 * token belongs to the session whose access token has the ID `jti`, or to none.
 */
export function signAccountToken(
  { app, clock }: Pick<TestEnvironment, 'app' | 'clock'>,
  userId: string,
  workspaceId: string,
  age = 0,
  jti: string = randomUUID(),
): Promise<string> {
  const auth_time = Math.floor((clock.now ?? new Date()).getTime() / 1000) - age
  const workspace = { wid: workspaceId, wslug: 'w', wrole: 'viewer' as const }
  const person = { sub: userId, jti, email: 'someone@example.com', name: '' }
  const claims = { ...person, ...workspace, client_id: accountClientId, scope: '', auth_time }
  return app.tokens.sign('access', claims, 900)
}

const registrations = new WeakMap<object, Promise<void>>()

/** Registers the client of the page once in each environment, as a server does when it starts. */
async function ensureClient({ database }: SignInEnvironment): Promise<void> {
  const known = registrations.get(database)
  const registration = known ?? registerAccountClient(createStores(database.fork()), issuer)
  registrations.set(database, registration)
  await registration
}

/** Signs a user in to the account page, a new one by default. The page asks for it unless it is `silent`. */
export async function signInToAccountPage(
  environment: SignInEnvironment,
  transport: Transport,
  { silent = false, provider = 'google' }: { silent?: boolean; provider?: ProviderName } = {},
) {
  await ensureClient(environment)
  const redirect_uri = `${issuer}/account/callback`
  const request = { redirect_uri, ...(!silent && { prompt: 'login' }) }
  const client = { client_id: accountClientId }
  const signedIn = await signInWithOAuth(environment, transport, { client, request, provider })
  const token = String(signedIn.tokens.access_token)
  const { sub: id } = JSON.parse(
    Buffer.from(token.split('.')[1] ?? '', 'base64url').toString(),
  ) as { sub: string }
  return { ...signedIn, id, token, cookie: signedIn.browser_session as string }
}

/** Who links an account: the token of the account page and the session of the browser. */
export type Linking = { token: string; cookie: string }

/** Begins to link an account and signs in with it. Returns the message of the callback. */
export async function signInToLink(
  transport: Transport,
  { token, cookie }: Linking,
  email: string,
  provider: ProviderName = 'github',
) {
  const message = { provider, browser_session: cookie }
  const begun = expectOk(await transport.call('BeginAccountLink', message, { token }))
  const url = `${issuer}/auth/callback/${provider}`
  const { callback } = await followRedirects(begun.location, url, { hint: email })
  return {
    provider,
    ...Object.fromEntries(callback),
    login_state: begun.login_state as string,
    browser_session: cookie,
  } as Record<string, string>
}

/** Comes back from the provider and opens the page that asks. Returns its text and what its button sends. */
export async function openLinkPage(transport: Transport, callback: Record<string, string>) {
  const completed = expectOk(await transport.call('CompleteLogin', callback))
  const { searchParams, pathname } = new URL(completed.location)
  if (pathname !== '/auth/link') return { location: new URL(completed.location) }
  const own = {
    state: searchParams.get('state') as string,
    login_state: completed.login_state as string,
    browser_session: callback.browser_session as string,
  }
  const page = readPage(expectOk(await transport.call('ConfirmAccountLink', own)))
  return { own, page, choice: { ...own, ...page.choices[0] } }
}
