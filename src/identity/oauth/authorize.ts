import type {
  AuthorizeRequest,
  AuthorizeResponse,
  HostedPage,
  HostedPageLink,
} from '../../../gen/daikon/v1/oauth.ts'
import { domainOf, normalizeEmail } from '../../core/email.ts'
import { ServiceError } from '../../core/errors.ts'
import { isUuid } from '../../core/uuid.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import { findProvider, startFlow } from '../oauth-flow.ts'
import { connectionName, readConnectionId } from '../providers/connection.ts'
import type { Provider } from '../providers/provider.ts'
import { reasons } from '../reasons.ts'
import { listMatchingUris } from '../redirect-uris.ts'
import { isSameSecret } from '../secret.ts'
import { failure } from '../sign-in-result.ts'
import type { OpenBrowserSession } from '../store/browser-session-store.ts'
import type { ClientStore, RedirectingClient } from '../store/client-store.ts'
import {
  type AuthorizationRequest,
  loginOptionsOf,
  parseAuthorizationRequest,
  readResponseMode,
  toParameters,
} from './authorization-request.ts'
import {
  authorizationUrl,
  respond,
  respondToFailure,
  respondWithError,
  resumeUrl,
} from './authorization-response.ts'
import { createConfirmation, readFormConfirmation } from './browser-sessions.ts'
import { findStartProblem, rememberBrowser } from './connection-start.ts'
import { continueAuthorization } from './continue-authorization.ts'
import { createForm, createLink, createPage, listProviderLinks } from './hosted-page.ts'
import { readIdTokenHint } from './id-tokens.ts'
import { openerPolicyOf } from './opener-policy.ts'
import { isTooOld, requiresPasskey } from './sign-in-age.ts'
import { findSignInError } from './sign-in-error.ts'
import { findPending, switchUser } from './switch-user.ts'

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
  const resource = request.resource
    ? await stores.tokenResources.findByUri(request.resource)
    : undefined
  const parsed = parseAuthorizationRequest(request, client, redirectUri, resource)
  if ('error' in parsed) {
    const target = { redirectUri, state: request.state, ...readResponseMode(request) }
    return respond(context, target, { ...parsed })
  }
  const error = parsed.responseMode && findSignInError(request.sign_in_error)
  if (error) return respondToFailure(context, parsed, failure(error))
  const cookie = request.browser_session
  const session = cookie ? await stores.browserSessions.findOpen(cookie, now) : undefined
  const pending = await findPending(context, request, session)
  if (session && pending)
    return chooseUser(context, request, parsed, client, { current: session, pending })
  const expected = await expectUser(context, parsed, request.id_token_hint)
  if (!expected) {
    const name = parsed.prompt === 'none' ? 'login_required' : 'invalid_request'
    return respondWithError(context, parsed, name, 'The id_token_hint is not valid')
  }
  const passkeys = await findProvider(context, 'passkey', 'user')
  if (requiresPasskey(expected) && !passkeys) {
    const isSilent = parsed.prompt === 'none'
    const name = isSilent ? 'login_required' : 'unmet_authentication_requirements'
    return respondWithError(context, parsed, name, 'No sign-in here meets the acr_values')
  }
  const isExpected = !expected.expectedUser || expected.expectedUser === session?.userId
  if (
    session &&
    isExpected &&
    hasProvider(expected, session) &&
    !mustSignIn(expected, session, now)
  ) {
    const confirmation = readFormConfirmation(request)
    return continueAuthorization(context, expected, client, session, confirmation)
  }
  if (parsed.prompt === 'none') {
    return respondWithError(context, parsed, 'login_required', 'The user is not signed in')
  }
  if (requiresPasskey(expected) && passkeys)
    return startSignIn(context, expected, passkeys, request.browser)
  return chooseProvider(context, expected, client, request.browser)
}

/** Returns the request with the user that its hint names, or undefined if the hint is not valid. */
async function expectUser(
  context: IdentityContext,
  request: AuthorizationRequest,
  hint: string | undefined,
): Promise<AuthorizationRequest | undefined> {
  if (!hint) return request
  const claims = await readIdTokenHint(context, hint)
  return claims && { ...request, expectedUser: claims.sub }
}

/** Asks whether a new session replaces the one of another user, and continues with the chosen one. */
async function chooseUser(
  context: IdentityContext,
  request: AuthorizeRequest,
  parsed: AuthorizationRequest,
  { name: clientName }: RedirectingClient,
  sessions: { current: OpenBrowserSession; pending: OpenBrowserSession },
): Promise<AuthorizeResponse> {
  const { confirmation: _, ...rest } = parsed
  const url = resumeUrl(context, rest)
  const next = await switchUser(context, request, sessions, { url, clientName })
  if (!next.stays) return next
  const { pending_session } = next
  const description = 'The user stayed signed in as another user'
  const refused = respondWithError(context, parsed, 'access_denied', description)
  return { ...refused, pending_session }
}

/** Whether a session began through the connection of the request, if the request names one. */
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
  const client = isUuid(clientId)
    ? await clients.findRedirecting(clientId, listMatchingUris(redirectUri))
    : undefined
  if (!client) {
    throw new ServiceError(reasons.CLIENT_REFUSED)
  }
  if (client.isRegistered) return client
  const detail = 'The redirect_uri is missing, repeated or not registered for this client'
  throw new ServiceError(reasons.REDIRECT_URI_REFUSED, detail)
}

/** Returns whether the user must sign in even though the browser has a session. */
function mustSignIn(
  request: AuthorizationRequest,
  session: OpenBrowserSession,
  now: Date,
): boolean {
  const { prompt, maxAge } = request
  if (requiresPasskey(request) && session.acr !== 'phr') return true
  if (request.isResumed) return false
  if (prompt === 'login' || prompt === 'select_account') return true
  return isTooOld(session, maxAge, now)
}

/**
 * Starts a sign-in if there is one way only, or lets the user choose. Where workspaces have connections, the
 * domain of an address is another way.
 */
async function chooseProvider(
  context: IdentityContext,
  request: AuthorizationRequest,
  client: RedirectingClient,
  browser: string | undefined,
): Promise<AuthorizeResponse> {
  const { providers } = context.identity
  const connection = await findConnection(context, request)
  if (connection) return startAtConnection(context, request, client, connection, browser)
  const names = [...providers.keys()]
  const [only, ...others] = names
  const named = names.find((known) => known === request.provider)
  const hasConnections = await context.stores.signInConnections.existsAny()
  // The page of codes asks for the address, too.
  const isOnly = !others[0] && (!hasConnections || only === 'email' || request.loginHint)
  const name = named ?? (isOnly ? only : undefined)
  if (name) return startSignIn(context, request, providers.get(name) as Provider, browser)
  if (!only) {
    const description = 'No identity provider is configured'
    return respondWithError(context, request, 'server_error', description)
  }
  return choicePage(context, request, client, browser, hasConnections)
}

/**
 * Returns the page with all methods, the one that the browser used last first. It asks for the address if
 * codes by e-mail are on, or where workspaces have connections.
 */
async function choicePage(
  context: IdentityContext,
  request: AuthorizationRequest,
  { name: client_name }: RedirectingClient,
  browser: string | undefined,
  hasConnections: boolean,
): Promise<AuthorizeResponse> {
  const { providers, browserCookies } = context.identity
  const { method } = await browserCookies.read(browser)
  const links = sortByUse(
    listProviderLinks(context, (provider) => authorizationUrl(context, { ...request, provider })),
    method,
  )
  const { loginHint: email = '' } = request
  const parts = { client_name, links, email }
  const codes = providers.get('email')
  if (codes) return offerCodes(context, request, codes, parts, browser)
  if (hasConnections) return offerConnections(context, request, parts, browser)
  return { page: createPage('choose_provider', { client_name, links }) }
}

type ChoiceParts = Pick<HostedPage, 'client_name' | 'links' | 'email'>

/** Returns the page whose form sends the address to a sign-in by a code, which begins here. */
async function offerCodes(
  context: IdentityContext,
  request: AuthorizationRequest,
  codes: Provider,
  { client_name, links, email }: ChoiceParts,
  browser: string | undefined,
): Promise<AuthorizeResponse> {
  const started = await startSignIn(context, request, codes, browser)
  // The request is too long for the cookie, which the link says when it is followed.
  if (!started.login_state) return { page: createPage('choose_provider', { client_name, links }) }
  const { location = '', ...begun } = started
  const { url, fields } = createForm(location)
  const withForm = links.map((link) => (link.detail === 'email' ? { ...link, url } : link))
  const parts = { client_name, links: withForm, fields, email }
  return { ...begun, page: createPage('choose_provider', parts) }
}

/** Returns the page whose form repeats the request with the address, whose domain may have a connection. */
async function offerConnections(
  context: IdentityContext,
  request: AuthorizationRequest,
  { client_name, links, email }: ChoiceParts,
  cookie: string | undefined,
): Promise<AuthorizeResponse> {
  const { browserCookies, providers } = context.identity
  const known = await browserCookies.read(cookie)
  const browser = await browserCookies.sign(known)
  const { confirmation: _, loginHint: _hint, provider: _provider, ...rest } = request
  const confirmation = createConfirmation(known.secret, typingOf(rest))
  const { url, fields } = createForm(authorizationUrl(context, { ...rest, confirmation }))
  const form = createLink({ label: 'Continue', detail: 'login_hint', url })
  const error = (await hasTyped(context, request, cookie))
    ? 'No organization signs in with this address here. Choose an account instead'
    : undefined
  const parts = { client_name, links: [form, ...links], email, ...(error && { error }) }
  // The field offers passkeys as well, whose sign-in begins here.
  const passkeys = providers.get('passkey')
  const { state, login_state } = passkeys
    ? await startSignIn(context, request, passkeys, browser)
    : {}
  if (!state || !login_state)
    return { page: createPage('choose_provider', { ...parts, fields }), browser }
  const withState = [...fields, { name: 'passkey_state', value: state }]
  const page = createPage('choose_provider', { ...parts, fields: withState })
  return { page, browser, state, login_state }
}

/** Moves the method of the last sign-in to the beginning. */
function sortByUse(links: HostedPageLink[], method: string | undefined): HostedPageLink[] {
  return [
    ...links.filter(({ detail }) => detail === method),
    ...links.filter(({ detail }) => detail !== method),
  ]
}

/** Signs in through a connection if that may begin, and asks the user or refuses otherwise. */
async function startAtConnection(
  context: IdentityContext,
  request: AuthorizationRequest,
  client: RedirectingClient,
  name: string,
  browser: string | undefined,
): Promise<AuthorizeResponse> {
  const { confirmation, ...rest } = request
  const problem = await findStartProblem(context, {
    provider: name,
    client,
    browser,
    confirmation,
    isTyped: await hasTyped(context, request, browser),
    urlOf: (confirmation) => authorizationUrl(context, { ...rest, provider: name, confirmation }),
  })
  if (problem?.page) return problem
  const provider = problem ? undefined : await findProvider(context, name, 'user')
  if (provider) return startSignIn(context, rest, provider, browser)
  const description = problem?.refusal ?? 'The connection is not active'
  return respondWithError(context, request, 'access_denied', description)
}

/** Whether the user typed the address of a request on the page that asks for it, in this browser. */
async function hasTyped(
  context: IdentityContext,
  { confirmation = '', loginHint, provider, ...rest }: AuthorizationRequest,
  cookie: string | undefined,
): Promise<boolean> {
  if (!loginHint || provider !== undefined) return false
  const { secret } = await context.identity.browserCookies.read(cookie)
  return isSameSecret(confirmation, createConfirmation(secret, typingOf(rest)))
}

const typingOf = (request: AuthorizationRequest) => `type address ${toParameters(request)}`

/**
 * Returns the name of the connection that a request names, or that has verified the domain of its
 * address.
 */
async function findConnection(
  context: IdentityContext,
  { provider, loginHint }: AuthorizationRequest,
): Promise<string | undefined> {
  if (provider !== undefined) {
    return readConnectionId(provider) === undefined ? undefined : provider
  }
  const email = normalizeEmail(loginHint ?? '')
  if (!email) return undefined
  const id = await context.stores.signInConnections.findIdByDomain(domainOf(email))
  return id === undefined ? undefined : connectionName(id)
}

/** Browsers drop cookies of more than 4,096 bytes. */
const maxCookieLength = 4000

async function startSignIn(
  context: IdentityContext,
  request: AuthorizationRequest,
  provider: Provider,
  browser: string | undefined,
): Promise<AuthorizeResponse> {
  const client = { authorization: request }
  const login = { flow: 'user', client } as const
  const started = await startFlow(context, provider, login, loginOptionsOf(request))
  if (!started.ok) return respondToFailure(context, request, started)
  if (started.value.login_state.length > maxCookieLength) {
    const description = 'The authorization request is too long'
    return respondWithError(context, request, 'invalid_request', description)
  }
  return { ...started.value, ...(await rememberBrowser(context, browser)) }
}
