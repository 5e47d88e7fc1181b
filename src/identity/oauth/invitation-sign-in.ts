import type { CompleteLoginRequest, CompleteLoginResponse } from '../../../gen/daikon/v1/auth.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import { lifetimesOf } from '../lifetimes.ts'
import { fetchIdentity, recordFailure } from '../oauth-flow.ts'
import type { Identity } from '../providers/provider.ts'
import { failure, type SignInResult } from '../sign-in-result.ts'
import type { OAuthState } from '../state-cookie.ts'
import { rememberSignIn } from './connection-start.ts'
import { invitationUrl } from './invitation.ts'
import { failedInvitationUrl } from './invitation-page.ts'
import { openSession } from './open-session.ts'
import { switchUrl } from './switch-user.ts'

const unbound = { workspaceId: null }

/**
 * Signs the user in to daikon, and returns to the page of the invitation that started the login. The
 * user joins on that page: another site could have started the login.
 */
export async function completeInvitation(
  context: IdentityContext,
  callback: CompleteLoginRequest,
  login: OAuthState,
  token: string,
): Promise<{ result: SignInResult<unknown>; response: CompleteLoginResponse }> {
  const { settings } = context.identity
  const common = { state: login.secrets.state, login_state: '' }
  const identity = await fetchIdentity(context, callback, login)
  const result = identity.ok
    ? await openSession(context, identity.value, unbound, callback)
    : identity
  if (!result.ok) {
    await recordFailure(context, login, result)
    const location = failedInvitationUrl(context, token, result)
    return { result, response: { ...common, location } }
  }
  const { session, isPending } = result.value
  const location = (await isAddressOfAnother(context, token, identity, session.userId))
    ? failedInvitationUrl(context, token, failure('email_taken'))
    : invitationUrl(settings.BASE_URL, token)
  if (isPending) {
    const pending = { location: switchUrl(location, session), pending_session: session.secret }
    return { result, response: { ...common, ...pending } }
  }
  const opened = {
    browser_session: session.secret,
    browser_session_seconds: lifetimesOf(settings).refresh,
    ...(await rememberSignIn(context, callback.browser, login.provider, session.email)),
  }
  return { result, response: { ...common, ...opened, location } }
}

/**
 * Whether the provider has verified the invited address, but signed in a user who has another one. Their
 * address does not follow, because the invited person has it.
 */
async function isAddressOfAnother(
  { stores, now }: IdentityContext,
  token: string,
  identity: SignInResult<Identity>,
  userId: string,
): Promise<boolean> {
  if (!identity.ok || !identity.value.emailVerified) return false
  const invitation = await stores.signInInvitations.findByToken(token, now)
  return invitation?.email === identity.value.email && invitation?.userId !== userId
}
