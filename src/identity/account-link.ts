import type { CompleteLoginRequest, CompleteLoginResponse } from '../../gen/daikon/v1/auth.ts'
import type { IdentityContext } from './identity-dependencies.ts'
import { fetchIdentity, recordFailure } from './oauth-flow.ts'
import type { Identity } from './providers/provider.ts'
import { failure, type SignInResult, success } from './sign-in-result.ts'
import type { AccountLink, OAuthState } from './state-cookie.ts'
import type { OpenBrowserSession } from './store/browser-session-store.ts'

/** Returns the address of the account page with the outcome of a link. */
export function accountPageUrl(
  { identity }: IdentityContext,
  outcome: { linked: string } | { error: string },
): string {
  return `${identity.settings.BASE_URL}/account?${new URLSearchParams(outcome)}`
}

/** Returns the session that a link belongs to, unless it has ended or another one took its place. */
export async function findLinkingSession(
  { stores, now }: IdentityContext,
  { userId, browserSessionId }: AccountLink,
  cookie: string | undefined,
): Promise<OpenBrowserSession | undefined> {
  const session = cookie ? await stores.browserSessions.findOpen(cookie, now) : undefined
  return session?.id === browserSessionId && session.userId === userId ? session : undefined
}

/**
 * Keeps the account that somebody has signed in with in the cookie of the login, and shows the page that
 * asks whether to link it: another site could have started the sign-in at the provider.
 */
export async function completeAccountLink(
  context: IdentityContext,
  request: CompleteLoginRequest,
  login: OAuthState,
  link: AccountLink,
): Promise<{ result: SignInResult<unknown>; response: CompleteLoginResponse }> {
  const { settings, stateCookies } = context.identity
  const { state } = login.secrets
  const result = await findAccount(context, request, login, link)
  if (!result.ok) {
    await recordFailure(context, login, result)
    const location = accountPageUrl(context, { error: result.error })
    return { result, response: { state, login_state: '', location } }
  }
  const { provider, subject, email, emailVerified, hostedDomain } = result.value
  const account = {
    ...{ provider, subject, email, emailVerified },
    ...(hostedDomain !== undefined && { hostedDomain }),
  }
  const login_state = await stateCookies.seal({ ...login, link: { ...link, account } })
  const location = `${settings.BASE_URL}/auth/link?${new URLSearchParams({ state })}`
  return { result, response: { state, login_state, location } }
}

async function findAccount(
  context: IdentityContext,
  request: CompleteLoginRequest,
  login: OAuthState,
  link: AccountLink,
): Promise<SignInResult<Identity>> {
  if (!(await findLinkingSession(context, link, request.browser_session)))
    return failure('state_mismatch')
  const identity = await fetchIdentity(context, request, login)
  if (!identity.ok) return identity
  // Without one, its first sign-in with an address would change that of the user.
  if (!identity.value.email) return failure(identity.value.emailProblem ?? 'email_missing')
  return success(identity.value)
}
