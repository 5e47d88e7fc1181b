import type { EntityManager } from '@mikro-orm/postgresql'
import type {
  AuthorizeRequest,
  AuthorizeResponse,
  HostedPage,
} from '../../../gen/daikon/v1/oauth.ts'
import { ServiceError } from '../../core/errors.ts'
import { isUuid } from '../../core/uuid.ts'
import { violates } from '../../database/database-errors.ts'
import { inTransaction } from '../../database/transaction.ts'
import { issueCode } from '../authorization-codes.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import { startFlow } from '../oauth-flow.ts'
import { type Provider, providerNames, providerTitles } from '../providers/provider.ts'
import { isActiveUser, listWorkspacesOfUser } from '../queries.ts'
import type { SignInError, SignInFailure } from '../sign-in-result.ts'
import {
  type AuthorizationError,
  type AuthorizationErrorName,
  type AuthorizationRequest,
  parseAuthorizationRequest,
  toParameters,
} from './authorization-request.ts'
import {
  findBrowserSession,
  findLastWorkspace,
  type OpenBrowserSession,
} from './browser-sessions.ts'
import { findRedirectingClient, type RedirectingClient } from './client-queries.ts'
import { readIdTokenHint } from './id-tokens.ts'

/** How a request continues: with a redirect or with a page. */
export type Continuation =
  | { location: string; page?: never }
  | { location?: never; page: HostedPage }

/** The authorization endpoint: signs the user in and redirects to the client app. */
export async function authorize(
  context: IdentityContext,
  request: AuthorizeRequest,
): Promise<AuthorizeResponse> {
  const { em, now } = context
  const { client_id: clientId = '', redirect_uri: redirectUri = '' } = request
  const client = await requireRedirectingClient(em, clientId, redirectUri)
  const parsed = parseAuthorizationRequest(request, { clientId: client.id, redirectUri })
  if ('error' in parsed) {
    return { location: responseUrl(context, { redirectUri, state: request.state }, { ...parsed }) }
  }
  const session = await findBrowserSession(em, now, request.browser_session)
  const hint = request.id_token_hint && (await readIdTokenHint(context, request.id_token_hint))
  const isExpectedUser = !hint || hint.sub === session?.userId
  if (session && isExpectedUser && !mustSignIn(parsed, session, now)) {
    return continueAuthorization(context, parsed, client, session)
  }
  if (parsed.prompt === 'none') {
    return { location: errorUrl(context, parsed, 'login_required', 'The user is not signed in') }
  }
  return chooseProvider(context, parsed, client)
}

/**
 * Returns the active client app that registered the redirect URI. Throws if there is none, because
 * the browser must not be redirected to an unregistered URI (RFC 6749, 4.1.2.1).
 */
export async function requireRedirectingClient(
  em: EntityManager,
  clientId: string,
  redirectUri: string,
): Promise<RedirectingClient> {
  const isReadable = isUuid(clientId) && !redirectUri.includes('\0')
  const client = isReadable ? await findRedirectingClient(em, clientId, redirectUri) : undefined
  if (!client) {
    const detail = 'The client_id is missing, unknown or inactive'
    throw new ServiceError('failed_precondition', 'CLIENT_REFUSED', detail)
  }
  if (client.isRegistered) return client
  const detail = 'The redirect_uri is missing or not registered for this client'
  throw new ServiceError('failed_precondition', 'REDIRECT_URI_REFUSED', detail)
}

/**
 * Continues a request of a signed-in user: issues a code for a workspace, or lets the user choose
 * the workspace.
 */
export async function continueAuthorization(
  context: IdentityContext,
  request: AuthorizationRequest,
  client: { id: string; name: string },
  session: OpenBrowserSession,
): Promise<Continuation> {
  const workspaces = await listWorkspacesOfUser(context.em, session.userId)
  const chosen = request.workspace
    ? workspaces.find(({ id, slug }) => [id, slug].includes(request.workspace as string))
    : undefined
  if (request.workspace ? !chosen : workspaces.length === 0) {
    const description = request.workspace
      ? 'The user is not a member of this workspace'
      : 'The user is not a member of any workspace'
    return { location: errorUrl(context, request, 'access_denied', description) }
  }
  const [only, ...others] = workspaces
  const workspaceId = chosen?.id ?? (others.length === 0 ? only?.id : undefined)
  if (workspaceId) return grantCode(context, request, session, workspaceId)
  if (request.prompt === 'none') {
    const last = await findLastWorkspace(context.em, session.id, client.id)
    if (last) return grantCode(context, request, session, last)
    const description = 'The user must choose a workspace'
    return { location: errorUrl(context, request, 'interaction_required', description) }
  }
  const links = workspaces.map(({ name, role, id }) => ({
    label: name,
    detail: role,
    url: resumeUrl(context, { ...request, workspace: id }),
  }))
  const page = { kind: 'choose_workspace', client_name: client.name, email: session.email, links }
  return { page }
}

/**
 * Returns the URL at which a request continues after a sign-in. It omits `prompt` and `max_age`,
 * which would require another sign-in.
 */
export function resumeUrl(context: IdentityContext, request: AuthorizationRequest): string {
  const { prompt: _prompt, maxAge: _maxAge, ...rest } = request
  return authorizationUrl(context, rest)
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
    return { location: errorUrl(context, request, 'server_error', description) }
  }
  const links = names.map((provider) => ({
    label: providerTitles[provider],
    detail: provider,
    url: authorizationUrl(context, { ...request, provider }),
  }))
  return { page: { kind: 'choose_provider', client_name: client.name, email: '', links } }
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
  if (!started.ok) return { location: failureUrl(context, request, started) }
  if (started.value.login_state.length > maxCookieLength) {
    const description = 'The authorization request is too long'
    return { location: errorUrl(context, request, 'invalid_request', description) }
  }
  return started.value
}

async function grantCode(
  context: IdentityContext,
  request: AuthorizationRequest,
  session: OpenBrowserSession,
  workspaceId: string,
): Promise<Continuation> {
  const code = await issueCodeInSession(context, request, session, workspaceId)
  if (!code) {
    return { location: errorUrl(context, request, 'login_required', 'The session has ended') }
  }
  return { location: responseUrl(context, request, { code }) }
}

/**
 * Issues a code, or returns undefined if the session was ended or the user deactivated
 * concurrently.
 */
async function issueCodeInSession(
  { em, identity }: IdentityContext,
  { clientId, redirectUri, codeChallenge, scope, nonce }: AuthorizationRequest,
  { id: browserSessionId, userId, provider }: OpenBrowserSession,
  workspaceId: string,
): Promise<string | undefined> {
  const authorization = { clientId, redirectUri, scope, nonce, workspaceId, browserSessionId }
  try {
    return await inTransaction(em, async (em) => {
      // Lock the user, so that a concurrent sign-out either ends the session first or consumes the
      // code.
      if (!(await isActiveUser(em, userId, { lock: true }))) return undefined
      const grant = { userId, provider, codeChallenge, authorization }
      return issueCode(em, identity.clock(), grant)
    })
  } catch (error) {
    if (violates(error, 'foreign')) return undefined
    throw error
  }
}

function authorizationUrl({ identity }: IdentityContext, request: AuthorizationRequest): string {
  return `${identity.options.baseUrl}/oauth/authorize?${toParameters(request)}`
}

/**
 * Maps the errors of a sign-in to those of the authorization endpoint. All others become
 * `access_denied`.
 */
const signInErrorNames: Partial<Record<SignInError, AuthorizationErrorName>> = {
  provider_unavailable: 'temporarily_unavailable',
  provider_error: 'server_error',
  invalid_response: 'server_error',
  state_mismatch: 'server_error',
  reauthentication_required: 'login_required',
}

/** Returns the redirect URI with the error of a failed sign-in. */
export function failureUrl(
  context: IdentityContext,
  request: AuthorizationRequest,
  { error, error_description }: SignInFailure,
): string {
  const name = signInErrorNames[error] ?? 'access_denied'
  return errorUrl(context, request, name, error_description)
}

function errorUrl(
  context: IdentityContext,
  request: AuthorizationRequest,
  error: AuthorizationErrorName,
  error_description: string,
): string {
  const parameters: AuthorizationError = { error, error_description }
  return responseUrl(context, request, { ...parameters })
}

/** Returns the redirect URI with the parameters of the response, `state` and `iss` (RFC 9207). */
function responseUrl(
  { identity }: IdentityContext,
  { redirectUri, state }: { redirectUri: string; state?: string | undefined },
  parameters: Record<string, string>,
): string {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  if (state !== undefined) url.searchParams.set('state', state)
  url.searchParams.set('iss', identity.options.baseUrl)
  return url.href
}
