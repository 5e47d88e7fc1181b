import type { CompleteLoginRequest, CompleteLoginResponse } from '../../../gen/daikon/v1/auth.ts'
import { invitationUrl } from '../../workspaces/invitation-links.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import { fetchIdentity, recordFailure } from '../oauth-flow.ts'
import type { SignInResult } from '../sign-in-result.ts'
import type { OAuthState } from '../state-cookie.ts'
import { failedInvitationUrl } from './invitation-page.ts'
import { openSession } from './open-session.ts'

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
  const { options } = context.identity
  const common = { state: login.secrets.state, login_state: '' }
  const identity = await fetchIdentity(context, callback, login)
  const result = identity.ok ? await openSession(context, identity.value, unbound) : identity
  if (!result.ok) {
    await recordFailure(context, login, result)
    const location = failedInvitationUrl(context, token, result)
    return { result, response: { ...common, location } }
  }
  const session = {
    browser_session: result.value.secret,
    browser_session_seconds: options.lifetimes.refresh,
  }
  const location = invitationUrl(options.baseUrl, token)
  return { result, response: { ...common, ...session, location } }
}
