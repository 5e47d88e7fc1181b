import type { AuthorizeRequest, AuthorizeResponse } from '../../../gen/daikon/v1/oauth.ts'
import { ServiceError } from '../../core/errors.ts'
import { isUuid } from '../../core/uuid.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import { startFlow } from '../oauth-flow.ts'
import { type Provider, providerNames } from '../providers/provider.ts'
import { listMatchingUris } from '../redirect-uris.ts'
import { failure } from '../sign-in-result.ts'
import type { OpenBrowserSession } from '../store/browser-session-store.ts'
import type { ClientStore, RedirectingClient } from '../store/client-store.ts'
import {
  type AuthorizationRequest,
  parseAuthorizationRequest,
  readResponseMode,
} from './authorization-request.ts'
import {
  authorizationUrl,
  respond,
  respondToFailure,
  respondWithError,
} from './authorization-response.ts'
import { continueAuthorization } from './continue-authorization.ts'
import { createPage, listProviderLinks } from './hosted-page.ts'
import { readIdTokenHint } from './id-tokens.ts'
import { openerPolicyOf } from './opener-policy.ts'
import { findSignInError } from './sign-in-error.ts'

/** The authorization endpoint: signs the user in and redirects to the client app. */
export async function authorize(
  context: IdentityContext,
  request: AuthorizeRequest,
): Promise<AuthorizeResponse> {
  const { client_id: clientId = '', redirect_uri: redirectUri = '' } = request
  const client = await requireRedirectingClient(context.stores.clients, clientId, redirectUri)
  return {
    ...(await signInOrContinue(context, request, client, redirectUri)),
    ...openerPolicyOf(client),
  }
}

async function signInOrContinue(
  context: IdentityContext,
  request: AuthorizeRequest,
  client: RedirectingClient,
  redirectUri: string,
): Promise<AuthorizeResponse> {
  const { stores, now } = context
  const parsed = parseAuthorizationRequest(request, client, redirectUri)
  if ('error' in parsed) {
    const target = { redirectUri, state: request.state, ...readResponseMode(request) }
    return respond(context, target, { ...parsed })
  }
  const error = parsed.responseMode && findSignInError(request.sign_in_error)
  if (error) return respondToFailure(context, parsed, failure(error))
  const cookie = request.browser_session
  const session = cookie ? await stores.browserSessions.findOpen(cookie, now) : undefined
  const hint = request.id_token_hint && (await readIdTokenHint(context, request.id_token_hint))
  const isExpectedUser = !hint || hint.sub === session?.userId
  if (session && isExpectedUser && !mustSignIn(parsed, session, now)) {
    return continueAuthorization(context, parsed, client, session)
  }
  if (parsed.prompt === 'none') {
    return respondWithError(context, parsed, 'login_required', 'The user is not signed in')
  }
  return chooseProvider(context, parsed, client)
}

/**
 * Returns the active client app that registered the redirect URI. Throws if there is none, because
 * the browser must not be redirected to an unregistered URI (RFC 6749, 4.1.2.1).
 */
export async function requireRedirectingClient(
  clients: ClientStore,
  clientId: string,
  redirectUri: string,
): Promise<RedirectingClient> {
  const isReadable = isUuid(clientId) && !redirectUri.includes('\0')
  const client = isReadable
    ? await clients.findRedirecting(clientId, listMatchingUris(redirectUri))
    : undefined
  if (!client) {
    const detail = 'The client_id is missing, repeated, unknown or inactive'
    throw new ServiceError('failed_precondition', 'CLIENT_REFUSED', detail)
  }
  if (client.isRegistered) return client
  const detail = 'The redirect_uri is missing, repeated or not registered for this client'
  throw new ServiceError('failed_precondition', 'REDIRECT_URI_REFUSED', detail)
}

/** Returns whether the user must sign in even though the browser has a session. */
export function mustSignIn(
  { prompt, maxAge }: AuthorizationRequest,
  { authenticatedAt }: OpenBrowserSession,
  now: Date,
): boolean {
  if (prompt === 'login' || prompt === 'select_account') return true
  return maxAge !== undefined && now.getTime() - authenticatedAt.getTime() > maxAge * 1000
}

/** Starts a sign-in, or lets the user choose between identity providers. */
async function chooseProvider(
  context: IdentityContext,
  request: AuthorizationRequest,
  client: RedirectingClient,
): Promise<AuthorizeResponse> {
  const { providers } = context.identity
  const names = providerNames.filter((name) => providers.has(name))
  const [only, ...others] = names
  const name = names.find((known) => known === request.provider) ?? (others[0] ? undefined : only)
  if (name) return startSignIn(context, request, providers.get(name) as Provider)
  if (!only) {
    const description = 'No identity provider is configured'
    return respondWithError(context, request, 'server_error', description)
  }
  const links = listProviderLinks(context, (provider) =>
    authorizationUrl(context, { ...request, provider }),
  )
  return { page: createPage('choose_provider', { client_name: client.name, links }) }
}

/** Browsers drop cookies of more than 4,096 bytes. */
const maxCookieLength = 4000

async function startSignIn(
  context: IdentityContext,
  request: AuthorizationRequest,
  provider: Provider,
): Promise<AuthorizeResponse> {
  const { redirectUri, codeChallenge, state } = request
  const client = { redirectUri, codeChallenge, state, authorization: request }
  const { prompt, loginHint, maxAge, acrValues } = request
  const options = { prompt: prompt === 'none' ? undefined : prompt, loginHint, maxAge, acrValues }
  const started = await startFlow(context, provider, { flow: 'user', client }, options)
  if (!started.ok) return respondToFailure(context, request, started)
  if (started.value.login_state.length > maxCookieLength) {
    const description = 'The authorization request is too long'
    return respondWithError(context, request, 'invalid_request', description)
  }
  return started.value
}
