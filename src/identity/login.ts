import type {
  BeginLoginRequest,
  BeginLoginResponse,
  CompleteLoginRequest,
  CompleteLoginResponse,
} from '../../gen/daikon/v1/auth.ts'
import { recordActivity } from '../activity/record-activity.ts'
import { inTransaction } from '../database/transaction.ts'
import { issueCode } from './authorization-codes.ts'
import type { IdentityContext } from './identity-dependencies.ts'
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
import { signIn } from './sign-in.ts'
import { type SignInResult, success } from './sign-in-result.ts'
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
    // Again, because the client app may have been deactivated since the login started.
    await requireRedirectUri(context, client.redirectUri)
    const identity = await fetchIdentity(context, request, login)
    const result = identity.ok ? await grantCode(context, identity.value, client) : identity
    if (!result.ok) await recordFailure(context, login, result)
    const location = clientUrl(client, result)
    return { result, response: { location, state: login.secrets.state, login_state: '' } }
  })
}

/** Signs the user in and issues a code. */
function grantCode(
  context: IdentityContext,
  identity: Identity,
  { codeChallenge }: Client,
): Promise<SignInResult<{ code: string }>> {
  const { provider } = identity
  return inTransaction(context.em, async (em) => {
    const signedIn = await signIn(em, context, identity)
    if (!signedIn.ok) return signedIn
    const userId = signedIn.value.id
    const code = await issueCode(em, context.now, { userId, provider, codeChallenge })
    await recordActivity(
      em,
      { actorId: userId },
      { action: 'user.signed_in', targetId: userId, detail: { provider } },
    )
    return success({ code })
  })
}

/** The redirect URI with the code or the error, and the state of the client app (RFC 6749, 4.1.2). */
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
