import type {
  BeginLoginRequest,
  BeginLoginResponse,
  CompleteLoginRequest,
  CompleteLoginResponse,
} from '../../gen/daikon/v1/auth.ts'
import { recordActivity } from '../activity/record-activity.ts'
import { issueCode } from './authorization-codes.ts'
import type { IdentityContext } from './identity-dependencies.ts'
import type { AuthorizationRequest } from './oauth/authorization-request.ts'
import {
  continueAuthorization,
  failureUrl,
  mustSignIn,
  requireRedirectingClient,
  resumeUrl,
} from './oauth/authorize.ts'
import { createBrowserSession } from './oauth/browser-sessions.ts'
import { findConfidentialOwner } from './oauth/client-queries.ts'
import {
  fetchIdentity,
  recordFailure,
  reportOutcome,
  requireProvider,
  resumeFlow,
  startFlow,
} from './oauth-flow.ts'
import type { Identity } from './providers/provider.ts'
import { requireRedirectUri } from './redirect-uris.ts'
import { inSignInTransaction, signIn } from './sign-in.ts'
import { failure, type SignInResult, success } from './sign-in-result.ts'
import type { OAuthState } from './state-cookie.ts'

type Client = NonNullable<OAuthState['client']>

/** Starts a login for a registered redirect URI and sends the browser to the provider. */
export async function beginLogin(
  context: IdentityContext,
  request: BeginLoginRequest,
): Promise<BeginLoginResponse> {
  const provider = requireProvider(context, request.provider)
  const { redirect_uri: redirectUri, code_challenge: codeChallenge, state } = request
  await requireRedirectUri(context, redirectUri)
  const client = { redirectUri, codeChallenge, state }
  const started = await startFlow(context, provider, { flow: 'user', client })
  return started.ok ? started.value : { location: clientUrl(client, started) }
}

/** Signs the user in and sends the browser back to the client app, with a code or an error. */
export function completeLogin(
  context: IdentityContext,
  request: CompleteLoginRequest,
): Promise<CompleteLoginResponse> {
  const flow = 'user'
  return reportOutcome(context, { flow, provider: request.provider }, async () => {
    const login = await resumeFlow(context, request, flow)
    const client = login.client as Client
    if (client.authorization) {
      return completeAuthorization(context, request, login, client.authorization)
    }
    // Check again, because the client app may have been deactivated since the login started.
    await requireRedirectUri(context, client.redirectUri)
    const identity = await fetchIdentity(context, request, login)
    const result = identity.ok ? await grantCode(context, identity.value, client) : identity
    if (!result.ok) await recordFailure(context, login, result)
    const location = clientUrl(client, result)
    return { result, response: { location, state: login.secrets.state, login_state: '' } }
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
  const client = await requireRedirectingClient(context.em, clientId, redirectUri)
  const identity = await fetchIdentity(context, callback, login)
  const result = identity.ok ? await openSession(context, identity.value, request) : identity
  const clearedState = { state: login.secrets.state, login_state: '' }
  if (!result.ok) {
    await recordFailure(context, login, result)
    return { result, response: { ...clearedState, location: failureUrl(context, request, result) } }
  }
  const session = result.value
  const next = await continueAuthorization(context, request, client, session)
  return {
    result,
    response: {
      ...clearedState,
      // A page is shown at a URL of its own, so that it can be reloaded.
      location: next.location ?? resumeUrl(context, request),
      browser_session: session.secret,
      browser_session_seconds: context.identity.options.lifetimes.refresh,
    },
  }
}

/**
 * The maximum time between the sign-in at the provider and its callback, in seconds. It is added to
 * `max_age`.
 */
const maxAgeTolerance = 60

function openSession(context: IdentityContext, identity: Identity, request: AuthorizationRequest) {
  const { provider } = identity
  return inSignInTransaction(context, async (em) => {
    const signedIn = await signIn(em, context, identity)
    if (!signedIn.ok) return signedIn
    const userId = signedIn.value.id
    const session = await createBrowserSession(em, context, signedIn.value, identity)
    const maxAge = request.maxAge === undefined ? undefined : request.maxAge + maxAgeTolerance
    const { prompt: _prompt, ...rest } = request
    const isTooOld =
      maxAge !== undefined && mustSignIn({ ...rest, maxAge }, session, context.identity.clock())
    if (isTooOld) return failure('reauthentication_required')
    await recordActivity(
      em,
      { actorId: userId },
      { action: 'user.signed_in', targetId: userId, detail: { provider } },
    )
    return success(session)
  })
}

/** Signs the user in and issues a code. */
function grantCode(
  context: IdentityContext,
  identity: Identity,
  { codeChallenge, redirectUri }: Client,
): Promise<SignInResult<{ code: string }>> {
  const { provider } = identity
  return inSignInTransaction(context, async (em) => {
    const signedIn = await signIn(em, context, identity)
    if (!signedIn.ok) return signedIn
    const userId = signedIn.value.id
    const clientId = await findConfidentialOwner(em, redirectUri)
    const grant = { userId, provider, codeChallenge, clientId }
    const code = await issueCode(em, context.now, grant)
    await recordActivity(
      em,
      { actorId: userId },
      { action: 'user.signed_in', targetId: userId, detail: { provider } },
    )
    return success({ code })
  })
}

/**
 * Returns the redirect URI with the code or the error, and the state of the client app (RFC 6749,
 * 4.1.2).
 */
function clientUrl({ redirectUri, state }: Client, result: SignInResult<{ code: string }>): string {
  const url = new URL(redirectUri)
  if (result.ok) url.searchParams.set('code', result.value.code)
  else {
    url.searchParams.set('error', result.error)
    url.searchParams.set('error_description', result.error_description)
  }
  if (state) url.searchParams.set('state', state)
  return url.href
}
