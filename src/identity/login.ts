import type {
  BeginLoginRequest,
  BeginLoginResponse,
  CompleteLoginRequest,
  CompleteLoginResponse,
} from '../../gen/daikon/v1/auth.ts'
import { completeAccountLink } from './account-link.ts'
import { authenticationOf } from './authentication.ts'
import type { IdentityContext } from './identity-dependencies.ts'
import { lifetimesOf } from './lifetimes.ts'
import type { AuthorizationRequest } from './oauth/authorization-request.ts'
import { failureUrl, resumeUrl } from './oauth/authorization-response.ts'
import { requireRedirectingClient } from './oauth/authorize.ts'
import { findStartProblem, rememberSignIn } from './oauth/connection-start.ts'
import { continueAuthorization } from './oauth/continue-authorization.ts'
import { completeInvitation } from './oauth/invitation-sign-in.ts'
import { openSession } from './oauth/open-session.ts'
import { openerPolicyOf } from './oauth/opener-policy.ts'
import { requiresPasskey } from './oauth/sign-in-age.ts'
import { switchUrl } from './oauth/switch-user.ts'
import {
  fetchIdentity,
  recordFailure,
  reportOutcome,
  requireProvider,
  resumeFlow,
  startFlow,
} from './oauth-flow.ts'
import type { Identity } from './providers/provider.ts'
import { appendToQuery, requireLoginClient } from './redirect-uris.ts'
import { sessionProviderOf } from './session-provider.ts'
import { inSignInTransaction, recordSignIn, signIn } from './sign-in.ts'
import { failure, notInBoundWorkspace, type SignInResult, success } from './sign-in-result.ts'
import type { LoginClient, OAuthState } from './state-cookie.ts'

/** Starts a login for a registered redirect URI and sends the browser to the provider. */
export async function beginLogin(
  context: IdentityContext,
  request: BeginLoginRequest,
): Promise<BeginLoginResponse> {
  const provider = await requireProvider(context, request.provider, 'user')
  const { redirect_uri: redirectUri, code_challenge: codeChallenge, state } = request
  const loginClient = await requireLoginClient(context.stores.clients, redirectUri)
  const openerPolicy = openerPolicyOf(loginClient)
  const client = { redirectUri, codeChallenge, state }
  const problem = await findStartProblem(context, {
    provider: provider.name,
    browser: request.browser,
    confirmation: request.confirmation,
    client: loginClient,
    urlOf: (confirmation) => beginUrl(context, request, confirmation),
  })
  if (problem?.page) return { ...problem, ...openerPolicy }
  if (problem) {
    const refused = { ...failure('access_denied'), error_description: problem.refusal }
    return { location: clientUrl(client, refused), ...openerPolicy }
  }
  const started = await startFlow(context, provider, { flow: 'user', client })
  const response = started.ok ? started.value : { location: clientUrl(client, started) }
  return { ...response, ...openerPolicy }
}

function beginUrl(
  { identity }: IdentityContext,
  { provider, redirect_uri, code_challenge, code_challenge_method, state }: BeginLoginRequest,
  confirmation: string,
): string {
  const parameters = { redirect_uri, code_challenge, code_challenge_method, confirmation }
  const query = new URLSearchParams({ ...parameters, ...(state !== undefined && { state }) })
  return `${identity.settings.BASE_URL}/auth/login/${provider}?${query}`
}

/** Signs the user in and sends the browser back to the client app, with a code or an error. */
export function completeLogin(
  context: IdentityContext,
  request: CompleteLoginRequest,
): Promise<CompleteLoginResponse> {
  const flow = 'user'
  return reportOutcome(context, { flow, provider: request.provider }, async () => {
    const login = await resumeFlow(context, request, flow)
    if (login.link) return completeAccountLink(context, request, login, login.link)
    if (login.invitation !== undefined)
      return completeInvitation(context, request, login, login.invitation)
    const client = login.client as NonNullable<OAuthState['client']>
    if ('authorization' in client) {
      return completeAuthorization(context, request, login, client.authorization)
    }
    // Check again, because the client app may have been deactivated since the login started.
    const openerPolicy = openerPolicyOf(
      await requireLoginClient(context.stores.clients, client.redirectUri),
    )
    const identity = await fetchIdentity(context, request, login)
    const result = identity.ok ? await grantCode(context, identity.value, client) : identity
    if (!result.ok) await recordFailure(context, login, result)
    const location = clientUrl(client, result)
    const remembered =
      result.ok && identity.ok
        ? await rememberSignIn(context, request.browser, login.provider, identity.value.email)
        : {}
    const cleared = { state: login.secrets.state, login_state: '' }
    return { result, response: { ...cleared, location, ...remembered, ...openerPolicy } }
  })
}

/**
 * Signs the user in to daikon, and continues the request to `/oauth/authorize` that started the
 * login.
 */
async function completeAuthorization(
  context: IdentityContext,
  callback: CompleteLoginRequest,
  login: OAuthState,
  request: AuthorizationRequest,
): Promise<{ result: SignInResult<unknown>; response: CompleteLoginResponse }> {
  const { clientId, redirectUri } = request
  const client = await requireRedirectingClient(context, clientId, redirectUri, undefined)
  const identity = await fetchIdentity(context, callback, login)
  const result = identity.ok
    ? await openSession(context, identity.value, client, callback, request)
    : identity.error === 'access_denied' && requiresPasskey(request)
      ? failure('passkey_missing')
      : identity
  const common = { state: login.secrets.state, login_state: '', ...openerPolicyOf(client) }
  if (!result.ok) {
    await recordFailure(context, login, result)
    const location = failureUrl(context, request, result)
    return { result, response: { ...common, location } }
  }
  const { session, isPending } = result.value
  const resumed = resumeUrl(context, request)
  if (isPending) {
    const pending = { location: switchUrl(resumed, session), pending_session: session.secret }
    return { result, response: { ...common, ...pending } }
  }
  // What is not verified continues where the browser is signed in.
  const next = client.isRegistered
    ? await continueAuthorization(context, request, client, session)
    : undefined
  return {
    result,
    response: {
      ...common,
      // A page is shown at a separate URL, so that it can be reloaded.
      location: next?.location ?? resumed,
      ...(await rememberSignIn(context, callback.browser, login.provider, session.email)),
      browser_session: session.secret,
      browser_session_seconds: lifetimesOf(context.identity.settings).refresh,
    },
  }
}

/** Signs the user in and issues a code. */
function grantCode(
  context: IdentityContext,
  identity: Identity,
  { codeChallenge, redirectUri }: LoginClient,
): Promise<SignInResult<{ code: string }>> {
  const provider = sessionProviderOf(identity)
  return inSignInTransaction(context, async (tx, context) => {
    const client = await requireLoginClient(tx.clients, redirectUri)
    const signedIn = await signIn(tx, context, identity, client)
    if (!signedIn.ok) return signedIn
    const userId = signedIn.value.id
    const { workspaceId } = client
    if (workspaceId && !(await tx.signInWorkspaces.hasMember({ workspaceId, userId }))) {
      return { ...failure('access_denied'), error_description: notInBoundWorkspace }
    }
    const clientId = client.confidentialId ?? undefined
    const loginClientId = client.id ?? undefined
    const authentication = authenticationOf(identity, context.identity.clock())
    const grant = { userId, provider, authentication, codeChallenge, clientId, loginClientId }
    const code = await tx.codes.issue(grant, context.now)
    await recordSignIn(tx, context, 'user.signed_in', signedIn.value, identity)
    return success({ code })
  })
}

/**
 * Returns the redirect URI with the code or the error, and the state of the client app (RFC 6749,
 * 4.1.2).
 */
function clientUrl(
  { redirectUri, state }: LoginClient,
  result: SignInResult<{ code: string }>,
): string {
  const parameters = result.ok
    ? { code: result.value.code }
    : { error: result.error, error_description: result.error_description }
  return appendToQuery(redirectUri, { ...parameters, ...(state && { state }) })
}
