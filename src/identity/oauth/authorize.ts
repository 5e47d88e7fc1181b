import type { AuthorizeRequest, AuthorizeResponse } from '../../../gen/daikon/v1/oauth.ts'
import { domainOf, normalizeEmail } from '../../core/email.ts'
import { ServiceError } from '../../core/errors.ts'
import { isUuid } from '../../core/uuid.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import { findProvider, startFlow } from '../oauth-flow.ts'
import { connectionName, readConnectionId } from '../providers/connection.ts'
import { type Provider, providerNames } from '../providers/provider.ts'
import { listMatchingUris } from '../redirect-uris.ts'
import { failure } from '../sign-in-result.ts'
import type { OpenBrowserSession } from '../store/browser-session-store.ts'
import type { ClientStore, RedirectingClient } from '../store/client-store.ts'
import {
  type AuthorizationRequest,
  parseAuthorizationRequest,
  readResponseMode,
  toParameters,
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
  if (
    session &&
    isExpectedUser &&
    hasProvider(parsed, session) &&
    !mustSignIn(parsed, session, now)
  ) {
    return continueAuthorization(context, parsed, client, session)
  }
  if (parsed.prompt === 'none') {
    return respondWithError(context, parsed, 'login_required', 'The user is not signed in')
  }
  return chooseProvider(context, parsed, client)
}

/** Whether a session began by the connection of the request, if the request names one. */
function hasProvider({ provider }: AuthorizationRequest, session: OpenBrowserSession): boolean {
  const isConnection = provider !== undefined && readConnectionId(provider) !== undefined
  return !isConnection || provider === session.provider
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

/**
 * Starts a sign-in, or lets the user choose between identity providers. Where workspaces have
 * connections, asks for the address first, whose domain may have one.
 */
async function chooseProvider(
  context: IdentityContext,
  request: AuthorizationRequest,
  client: RedirectingClient,
): Promise<AuthorizeResponse> {
  const { providers } = context.identity
  const connection = await findConnection(context, request)
  if (connection) return startSignIn(context, request, connection)
  if (readConnectionId(request.provider ?? '') !== undefined)
    return respondWithError(context, request, 'invalid_request', 'The connection is not active')
  const names = providerNames.filter((name) => providers.has(name))
  const [only, ...others] = names
  const named = names.find((known) => known === request.provider)
  const asks = !named && !request.loginHint && (await context.stores.connections.existsAny())
  if (asks) return { page: emailPage(context, request, client) }
  const name = named ?? (others[0] ? undefined : only)
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

/** Returns the connection that a request names, or that has verified the domain of its address. */
async function findConnection(
  context: IdentityContext,
  { provider, loginHint }: AuthorizationRequest,
): Promise<Provider | undefined> {
  if (provider !== undefined) {
    const isConnection = readConnectionId(provider) !== undefined
    return isConnection ? findProvider(context, provider, 'user') : undefined
  }
  const email = normalizeEmail(loginHint ?? '')
  if (!email) return undefined
  const found = await context.stores.connectionDomains.findConnectionOf(domainOf(email))
  return found && findProvider(context, connectionName(found.id), 'user')
}

/** Returns the page that asks for the address, which it sends with the parameters of the request. */
function emailPage(
  context: IdentityContext,
  request: AuthorizationRequest,
  { name: client_name }: RedirectingClient,
) {
  const fields = [...toParameters(request)].map(([name, value]) => ({ name, value }))
  const url = `${context.identity.options.baseUrl}/oauth/authorize`
  return createPage('enter_email', {
    client_name,
    fields,
    links: [{ label: 'Continue', detail: '', url }],
  })
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
