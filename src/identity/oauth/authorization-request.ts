import type { AuthorizeRequest } from '../../../gen/daikon/v1/oauth.ts'

/** A valid authorization request. */
export type AuthorizationRequest = {
  clientId: string
  redirectUri: string
  codeChallenge: string
  /** The granted scopes, separated by spaces. */
  scope: string
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
  acrValues?: string
  /** An ID or a slug. */
  workspace?: string
  provider?: string
}

/**
 * The errors of the authorization endpoint (RFC 6749, 4.1.2.1; OpenID Connect Core 1.0, 3.1.2.6).
 */
export type AuthorizationErrorName =
  | 'invalid_request'
  | 'unsupported_response_type'
  | 'request_not_supported'
  | 'request_uri_not_supported'
  | 'registration_not_supported'
  | 'login_required'
  | 'interaction_required'
  | 'access_denied'
  | 'server_error'
  | 'temporarily_unavailable'

/** An error that is returned to the client app in a redirect. */
export type AuthorizationError = { error: AuthorizationErrorName; error_description: string }

export const supportedScopes = ['openid', 'profile', 'email', 'offline_access'] as const
export const supportedPrompts = ['none', 'login', 'select_account'] as const

/** Longer values would not fit into the cookie that stores the state of a sign-in. */
const maxStateLength = 1024
const maxNonceLength = 512
const maxHintLength = 254

/** Checks the parameters of a request whose client and redirect URI are already verified. */
export function parseAuthorizationRequest(
  request: AuthorizeRequest,
  client: { clientId: string; redirectUri: string },
): AuthorizationRequest | AuthorizationError {
  const problem = findProblem(request)
  if (problem) return problem
  const prompts = readWords(request.prompt)
  const prompt = supportedPrompts.find((name) => prompts.includes(name))
  const { state, nonce, max_age, login_hint, acr_values, workspace, provider } = request
  return {
    ...client,
    codeChallenge: request.code_challenge ?? '',
    scope: supportedScopes.filter((name) => readWords(request.scope).includes(name)).join(' '),
    ...(state !== undefined && { state }),
    ...(nonce !== undefined && { nonce }),
    ...(prompt && { prompt }),
    ...(max_age && { maxAge: Number(max_age) }),
    ...(login_hint && { loginHint: login_hint }),
    ...(acr_values && { acrValues: acr_values }),
    ...(workspace && { workspace }),
    ...(provider && { provider }),
  }
}

/** Returns the parameters of a request to the authorization endpoint that continues this one. */
export function toParameters(request: AuthorizationRequest): URLSearchParams {
  const parameters = new URLSearchParams({
    client_id: request.clientId,
    redirect_uri: request.redirectUri,
    response_type: 'code',
    scope: request.scope,
    code_challenge: request.codeChallenge,
    code_challenge_method: 'S256',
  })
  const optional = {
    state: request.state,
    nonce: request.nonce,
    prompt: request.prompt,
    max_age: request.maxAge === undefined ? undefined : String(request.maxAge),
    login_hint: request.loginHint,
    acr_values: request.acrValues,
    workspace: request.workspace,
    provider: request.provider,
  }
  for (const [name, value] of Object.entries(optional)) {
    if (value !== undefined) parameters.set(name, value)
  }
  return parameters
}

function findProblem(request: AuthorizeRequest): AuthorizationError | undefined {
  if (request.request) return { error: 'request_not_supported', error_description: unsupported }
  if (request.request_uri)
    return { error: 'request_uri_not_supported', error_description: unsupported }
  if (request.registration)
    return { error: 'registration_not_supported', error_description: unsupported }
  if (!request.response_type) return invalid('response_type is required')
  if (request.response_type !== 'code') {
    const error_description = 'response_type must be code'
    return { error: 'unsupported_response_type', error_description }
  }
  if ((request.response_mode ?? 'query') !== 'query') return invalid('response_mode must be query')
  if (!request.code_challenge) return invalid('code_challenge is required (PKCE)')
  if (request.code_challenge_method !== 'S256') return invalid('code_challenge_method must be S256')
  if (!/^[A-Za-z0-9_-]{43}$/.test(request.code_challenge))
    return invalid('code_challenge must be 43 base64url characters')
  if ((request.state ?? '').length > maxStateLength)
    return invalid(`state must be at most ${maxStateLength} characters long`)
  if ((request.nonce ?? '').length > maxNonceLength)
    return invalid(`nonce must be at most ${maxNonceLength} characters long`)
  if (/\p{Cc}/u.test(request.nonce ?? '')) return invalid('nonce has control characters')
  if (request.max_age && !/^\d{1,9}$/.test(request.max_age))
    return invalid('max_age must be a number of seconds')
  for (const name of ['login_hint', 'acr_values', 'workspace', 'provider'] as const) {
    const value = request[name] ?? ''
    if (value.length > maxHintLength || /\p{Cc}/u.test(value))
      return invalid(`${name} must be at most ${maxHintLength} printable characters`)
  }
  return findPromptProblem(readWords(request.prompt))
}

/**
 * `consent` is accepted and has no effect: client apps are trusted by the operator who registers
 * them.
 */
function findPromptProblem(prompts: string[]): AuthorizationError | undefined {
  const known: string[] = [...supportedPrompts, 'consent']
  if (prompts.some((prompt) => !known.includes(prompt)))
    return invalid(`prompt must be ${supportedPrompts.join(', ')}`)
  if (prompts.includes('none') && prompts.length > 1)
    return invalid('prompt=none must not be combined with other values')
  return undefined
}

const unsupported = 'The parameter is not supported'

function invalid(error_description: string): AuthorizationError {
  return { error: 'invalid_request', error_description }
}

function readWords(text: string | undefined): string[] {
  return (text ?? '').split(' ').filter((word) => word !== '')
}
