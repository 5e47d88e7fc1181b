import type { AuthorizeRequest } from '../../../gen/daikon/v1/oauth.ts'
import { isUuid } from '../../core/uuid.ts'
import type { TokenResource } from '../ports.ts'
import { connectionName } from '../providers/connection.ts'
import type { LoginOptions } from '../providers/provider.ts'
import type { RedirectingClient } from '../store/client-store.ts'

/** A valid authorization request. */
export type AuthorizationRequest = {
  clientId: string
  redirectUri: string
  /** Set if the response is sent as a form instead of in the query of the redirect URI. */
  responseMode?: 'form_post'
  /** Absent if the client app may omit PKCE and did. */
  codeChallenge?: string
  /** The granted scopes, separated by spaces. */
  scope: string
  /** The URI of the API that the tokens are limited to. */
  resource?: string
  state?: string
  nonce?: string
  /**
   * `login` and `select_account` require a new sign-in, even if the browser has a session. `none`
   * forbids any interaction with the user.
   */
  prompt?: 'none' | 'login' | 'select_account'
  /** The maximum age of the sign-in, in seconds. */
  maxAge?: number
  loginHint?: string
  /** The ID of the only user whose sign-in completes the request. */
  expectedUser?: string
  acrValues?: string
  /** An ID or a slug. */
  workspace?: string
  /** Proves that the user accepted the invitation to the workspace. */
  confirmation?: string
  /** The name of an identity provider, or of the one of a connection. */
  provider?: string
  /** Whether the user has signed in for this request, as `prompt` and `maxAge` require. */
  isResumed?: true
}

/**
 * The errors of the authorization endpoint (RFC 6749, 4.1.2.1; OpenID Connect Core 1.0, 3.1.2.6; OpenID
 * Connect Unmet Authentication Requirements 1.0; RFC 8707, 2).
 */
export type AuthorizationErrorName =
  | 'invalid_request'
  | 'invalid_scope'
  | 'invalid_target'
  | 'unsupported_response_type'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'registration_not_supported'
  | 'login_required'
  | 'interaction_required'
  | 'unmet_authentication_requirements'
  | 'access_denied'
  | 'server_error'
  | 'temporarily_unavailable'

/** An error that is returned to the client app in a redirect. */
export type AuthorizationError = { error: AuthorizationErrorName; error_description: string }

export const supportedScopes = [
  'openid',
  'profile',
  'email',
  'offline_access',
  'roles',
  'groups',
] as const
/** OAuth 2.0 Multiple Response Type Encoding Practices, 2.1; OAuth 2.0 Form Post Response Mode. */
export const supportedResponseModes = ['query', 'form_post'] as const
export const supportedPrompts = ['none', 'login', 'select_account'] as const

/** Longer values would not fit into the cookie that stores the state of a sign-in. */
const maxStateLength = 1024
const maxNonceLength = 512
const maxHintLength = 254

/**
 * Checks the parameters of a request whose client and redirect URI are already verified. `resource` is
 * the API that the request names, if it is known.
 */
export function parseAuthorizationRequest(
  request: AuthorizeRequest,
  { id: clientId, pkceRequired, workspaceId }: Omit<RedirectingClient, 'isRegistered'>,
  redirectUri: string,
  resource: TokenResource | undefined,
): AuthorizationRequest | AuthorizationError {
  const problem = findProblem(request) ?? findPkceProblem(request, pkceRequired)
  if (problem) return problem
  const requested = readWords(request.scope)
  const scope = resource
    ? grantResourceScope(requested, resource)
    : grantScope(requested, workspaceId)
  if (request.resource && !resource?.isActive) return resourceUnknown
  if (resource && scope === '')
    return { error: 'invalid_scope', error_description: 'The resource has none of the scopes' }
  const prompts = readWords(request.prompt)
  const prompt = supportedPrompts.find((name) => prompts.includes(name))
  const { state, nonce, max_age, login_hint, acr_values, workspace, confirmation } = request
  const provider = request.connection ? connectionName(request.connection) : request.provider
  return {
    clientId,
    redirectUri,
    ...readResponseMode(request),
    ...(request.code_challenge && { codeChallenge: request.code_challenge }),
    scope,
    ...(resource && { resource: resource.uri }),
    ...(state !== undefined && { state }),
    ...(nonce !== undefined && { nonce }),
    ...(prompt && { prompt }),
    ...(max_age && { maxAge: Number(max_age) }),
    ...(login_hint && { loginHint: login_hint }),
    ...(request.expected_user && { expectedUser: request.expected_user.toLowerCase() }),
    ...(acr_values && { acrValues: acr_values }),
    ...(workspace && { workspace }),
    ...(confirmation && { confirmation }),
    ...(provider && { provider }),
    ...(request.resumed === 'true' && { isResumed: true as const }),
  }
}

/** Reads the response mode, which errors of the request also use. */
export function readResponseMode({
  response_mode,
}: AuthorizeRequest): Pick<AuthorizationRequest, 'responseMode'> {
  return response_mode === 'form_post' ? { responseMode: response_mode } : {}
}

/** The scopes of names that anyone can choose in a workspace of their own. */
const boundScopes = ['roles', 'groups']

/**
 * Returns the supported part of the requested scopes, separated by spaces. Only a client app that is
 * bound to a workspace is granted `roles` and `groups`.
 */
export function grantScope(requested: string[], boundTo: string | null): string {
  return supportedScopes
    .filter((name) => requested.includes(name) && (boundTo || !boundScopes.includes(name)))
    .join(' ')
}

/**
 * Returns the scopes of an API that are requested, separated by spaces: all of them if a request has
 * none. Others are ignored.
 */
function grantResourceScope(requested: string[], { scopes }: TokenResource): string {
  const granted = requested.length > 0 ? scopes.filter((name) => requested.includes(name)) : scopes
  return granted.join(' ')
}

export const resourceUnknown: AuthorizationError = {
  error: 'invalid_target',
  error_description: 'The resource is unknown or not active',
}

/** Returns the parameters of a request to the authorization endpoint that continues this one. */
export function toParameters(request: AuthorizationRequest): URLSearchParams {
  const parameters = new URLSearchParams({
    client_id: request.clientId,
    redirect_uri: request.redirectUri,
    response_type: 'code',
    scope: request.scope,
  })
  const { codeChallenge } = request
  const optional = {
    resource: request.resource,
    code_challenge: codeChallenge,
    code_challenge_method: codeChallenge && 'S256',
    response_mode: request.responseMode,
    state: request.state,
    nonce: request.nonce,
    prompt: request.prompt,
    max_age: request.maxAge === undefined ? undefined : String(request.maxAge),
    login_hint: request.loginHint,
    expected_user: request.expectedUser,
    acr_values: request.acrValues,
    workspace: request.workspace,
    confirmation: request.confirmation,
    provider: request.provider,
    resumed: request.isResumed && 'true',
  }
  for (const [name, value] of Object.entries(optional)) {
    if (value !== undefined) parameters.set(name, value)
  }
  return parameters
}

/** Returns what the identity provider is asked for. */
export function loginOptionsOf(request: AuthorizationRequest): LoginOptions {
  const { loginHint, maxAge, acrValues } = request
  // Some providers ignore `max_age`.
  const prompt = request.prompt ?? (maxAge === undefined ? undefined : 'login')
  return { prompt: prompt === 'none' ? undefined : prompt, loginHint, maxAge, acrValues }
}

function findProblem(request: AuthorizeRequest): AuthorizationError | undefined {
  const [repeated] = request.repeated_parameters
  if (repeated === 'resource')
    return { error: 'invalid_target', error_description: 'resource must not be repeated' }
  if (repeated) return invalid(`${repeated} must not be repeated`)
  if (request.request)
    return { error: 'request_not_supported', error_description: unsupported('request') }
  if (request.request_uri)
    return { error: 'request_uri_not_supported', error_description: unsupported('request_uri') }
  if (request.registration)
    return { error: 'registration_not_supported', error_description: unsupported('registration') }
  if (!request.response_type) return invalid('response_type is required')
  if (request.response_type !== 'code') {
    const error_description = 'response_type must be code'
    return { error: 'unsupported_response_type', error_description }
  }
  const { response_mode: mode } = request
  if (mode !== undefined && !supportedResponseModes.some((one) => one === mode))
    return invalid(`response_mode must be ${supportedResponseModes.join(' or ')}`)
  if ((request.state ?? '').length > maxStateLength)
    return invalid(`state must be at most ${maxStateLength} characters long`)
  if ((request.nonce ?? '').length > maxNonceLength)
    return invalid(`nonce must be at most ${maxNonceLength} characters long`)
  if (/\p{Cc}/u.test(request.nonce ?? '')) return invalid('nonce has control characters')
  if (request.max_age && !/^\d{1,9}$/.test(request.max_age))
    return invalid('max_age must be a number of seconds')
  const hints = ['login_hint', 'acr_values', 'workspace', 'confirmation', 'provider'] as const
  for (const name of hints) {
    const value = request[name] ?? ''
    if (value.length > maxHintLength || /\p{Cc}/u.test(value))
      return invalid(`${name} must be at most ${maxHintLength} printable characters`)
  }
  for (const name of ['connection', 'expected_user'] as const) {
    if (request[name] && !isUuid(request[name])) return invalid(`${name} must be an ID`)
  }
  return findPromptProblem(readWords(request.prompt))
}

/**
 * Without PKCE, only `state` and `nonce` protect the code from being injected into another session
 * (RFC 9700, 2.1.1).
 */
function findPkceProblem(
  { code_challenge, code_challenge_method, state, nonce }: AuthorizeRequest,
  pkceRequired: boolean,
): AuthorizationError | undefined {
  if (!code_challenge && !code_challenge_method && !pkceRequired) {
    return state || nonce ? undefined : invalid('state or nonce is required without PKCE')
  }
  if (!code_challenge) {
    return invalid(
      'code_challenge is required (PKCE), unless the client app is confidential and has pkce_required off',
    )
  }
  if (code_challenge_method !== 'S256') return invalid('code_challenge_method must be S256')
  if (!/^[A-Za-z0-9_-]{43}$/.test(code_challenge))
    return invalid('code_challenge must be 43 base64url characters')
  return undefined
}

/**
 * `consent` is accepted and has no effect: client apps are trusted by the operator who registers
 * them.
 */
function findPromptProblem(prompts: string[]): AuthorizationError | undefined {
  const accepted: string[] = [...supportedPrompts, 'consent']
  if (prompts.some((prompt) => !accepted.includes(prompt)))
    return invalid(`prompt must be ${supportedPrompts.join(', ')}`)
  if (prompts.includes('none') && prompts.length > 1)
    return invalid('prompt=none must not be combined with other values')
  return undefined
}

function unsupported(parameter: string): string {
  return `The parameter ${parameter} is not supported`
}

function invalid(error_description: string): AuthorizationError {
  return { error: 'invalid_request', error_description }
}

function readWords(text: string | undefined): string[] {
  return (text ?? '').split(' ').filter((word) => word !== '')
}
