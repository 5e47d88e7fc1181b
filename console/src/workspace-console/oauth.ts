import { describeSignInError } from '../session/sign-in-errors.ts'
import { settings } from '../settings.ts'
import { createChallenge, type PendingSignIn, readClaims } from './pkce.ts'

/** The tokens of a signed-in member, which are only in memory. */
export type UserTokens = {
  accessToken: string
  refreshToken: string
  /** The session, which remains the same when the tokens are renewed. */
  sessionId: string
  userId: string
  workspaceId: string
  slug: string
}

/** A sign-in that has failed, with a message for people. */
export class SignInFailure extends Error {
  /** The error of the authorization endpoint, such as `login_required`. */
  readonly error: string

  constructor(error: string, description: string) {
    super(description)
    this.name = 'SignInFailure'
    this.error = error
  }
}

const redirectUri = new URL('/w/callback', location.origin).href

export type SignInOptions = {
  workspace: string
  prompt?: 'none' | 'login' | 'select_account'
  /** The ID of the connection to sign in by. */
  connection?: string
}

/** Returns the address at which daikon signs the user in to a workspace. */
export async function createSignInUrl(
  { state, nonce, verifier }: PendingSignIn,
  { workspace, prompt, connection }: SignInOptions,
): Promise<string> {
  const url = new URL('/oauth/authorize', settings.base_url)
  url.search = new URLSearchParams({
    response_type: 'code',
    client_id: settings.workspace_client_id,
    redirect_uri: redirectUri,
    scope: 'openid profile email',
    state,
    nonce,
    code_challenge: await createChallenge(verifier),
    code_challenge_method: 'S256',
    workspace,
    ...(prompt && { prompt }),
    ...(connection && { connection }),
  }).toString()
  return url.href
}

/**
 * Exchanges the code in the address of the callback for tokens.
 *
 * @throws {SignInFailure} if the sign-in has failed
 */
export async function redeem(query: URLSearchParams, pending: PendingSignIn): Promise<UserTokens> {
  if (query.get('iss') !== settings.base_url)
    throw new SignInFailure('invalid_issuer', 'The sign-in came from another server')
  const error = query.get('error')
  if (error)
    throw new SignInFailure(error, describeSignInError(error, query.get('error_description')))
  const response = await requestTokens({
    grant_type: 'authorization_code',
    code: query.get('code') ?? '',
    code_verifier: pending.verifier,
    redirect_uri: redirectUri,
  })
  const { nonce, aud, sid, sub } = readClaims(response.id_token ?? '')
  if (nonce !== pending.nonce || aud !== settings.workspace_client_id)
    throw new SignInFailure('invalid_token', 'The ID token belongs to another sign-in')
  return { ...toTokens(response), sessionId: String(sid), userId: String(sub) }
}

/**
 * Exchanges the refresh token. Returns undefined if the session has ended.
 *
 * @throws {SignInFailure} if the server is not available
 */
export async function refresh(tokens: UserTokens): Promise<UserTokens | undefined> {
  try {
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refreshToken }
    return { ...tokens, ...toTokens(await requestTokens(form)) }
  } catch (error) {
    if (error instanceof SignInFailure && error.error === 'unavailable') throw error
    return undefined
  }
}

type TokenResponse = {
  access_token: string
  refresh_token: string
  workspace_id: string
  id_token?: string
}

async function requestTokens(form: Record<string, string>): Promise<TokenResponse> {
  const body = new URLSearchParams({ ...form, client_id: settings.workspace_client_id })
  const url = new URL('/oauth/token', settings.base_url)
  const response = await fetch(url, { method: 'POST', body, credentials: 'omit' }).catch(() => {
    throw new SignInFailure('unavailable', 'The server cannot be reached')
  })
  const content = await response.json().catch(() => ({}))
  if (response.ok) return content
  const isTemporary = response.status >= 500 || response.status === 429
  const error = isTemporary ? 'unavailable' : String(content.error)
  throw new SignInFailure(error, content.error_description ?? 'The sign-in failed')
}

function toTokens({ access_token, refresh_token, workspace_id }: TokenResponse) {
  return {
    accessToken: access_token,
    refreshToken: refresh_token,
    workspaceId: workspace_id,
    slug: String(readClaims(access_token).wslug),
  }
}
