import type {
  BeginLoginRequest,
  BeginLoginResponse,
  CompleteLoginRequest,
  CompleteLoginResponse,
} from '../../gen/daikon/v1/auth.ts'
import { recordActivity } from '../activity/record-activity.ts'
import { ServiceError } from '../core/errors.ts'
import { inTransaction } from '../database/transaction.ts'
import { issueCode } from './authorization-codes.ts'
import type { IdentityContext } from './identity-dependencies.ts'
import {
  fetchIdentity,
  isFailure,
  recordFailure,
  requireProvider,
  resumeFlow,
  startFlow,
} from './oauth-flow.ts'
import { signIn } from './sign-in.ts'
import type { OAuthState } from './state-cookie.ts'

type Client = NonNullable<OAuthState['client']>

/** Sends the browser to the provider, for a redirect_uri of an active client app alone. */
export async function beginLogin(
  context: IdentityContext,
  request: BeginLoginRequest,
): Promise<BeginLoginResponse> {
  const provider = requireProvider(context, request.provider)
  const { redirect_uri: redirectUri, code_challenge: codeChallenge, state } = request
  await requireRedirectUri(context, redirectUri)
  const client = { redirectUri, codeChallenge, state }
  const round = await startFlow(context, provider, { flow: 'user', client })
  return isFailure(round) ? { location: backTo(client, round) } : round
}

/** Signs the person in and sends the browser on to the client app, with a code or an error. */
export async function completeLogin(
  context: IdentityContext,
  request: CompleteLoginRequest,
): Promise<CompleteLoginResponse> {
  const login = await resumeFlow(context, request, 'user')
  const client = login.client as Client
  await requireRedirectUri(context, client.redirectUri)
  const identity = await fetchIdentity(context, request, login)
  const result = isFailure(identity) ? identity : await grantCode(context, identity, client)
  if (isFailure(result)) await recordFailure(context, login, result)
  return { location: backTo(client, result), state: login.secrets.state, login_state: '' }
}

/** Signs an identity in and makes its code. */
function grantCode(
  { em, now, identity: parts }: IdentityContext,
  identity: Parameters<typeof signIn>[1],
  { codeChallenge }: Client,
): Promise<Record<string, string>> {
  return inTransaction(em, async (em) => {
    const user = await signIn(em, identity, now, parts)
    if (isFailure(user)) return user
    const { provider } = identity
    const code = await issueCode(em, now, { userId: user.id, provider, codeChallenge })
    const detail = { provider }
    await recordActivity(
      em,
      { actorId: user.id },
      { action: 'user.signed_in', targetId: user.id, detail },
    )
    return { code }
  })
}

/** Registered to the letter, on a client app that is active now. */
async function requireRedirectUri({ em }: IdentityContext, uri: string): Promise<void> {
  const registered = `select a.id from client_redirect_uris u join client_apps a on a.id = u.app_id
    where u.uri = ? and a.is_active limit 1`
  // PostgreSQL's texts hold no NUL: it would be an error, not an unknown one.
  if (!uri.includes('\0') && (await em.execute(registered, [uri])).length > 0) return
  throw new ServiceError(
    'failed_precondition',
    'REDIRECT_URI_REFUSED',
    'The redirect_uri is not registered',
  )
}

/** The redirect_uri with what became of the login, and the app's own state. */
function backTo({ redirectUri, state }: Client, result: Record<string, string>): string {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries({ ...result, ...(state && { state }) }))
    url.searchParams.set(name, value)
  return url.href
}
