import type { User } from './api.ts'
import { UnavailableError } from './errors.ts'

/** The tokens of a signed-in user, and when this browser received them. Plain data: tabs exchange it. */
export type Session = {
  /** The ID of the session at daikon (`sid`). */
  id: string
  /** Counts the refreshes, so that tabs know which tokens are the latest. */
  sequence: number
  /** When the user signed in. */
  startedAt: number
  receivedAt: number
  expiresAt: number
  accessToken: string
  refreshToken: string
  idToken: string
  user: User
}

/** Milliseconds before its expiry at which an access token is refreshed. */
const refreshMargin = 30_000

/** The response of the token endpoint. */
export type TokenResponse = {
  access_token: string
  refresh_token: string
  expires_in: number
  id_token?: string
}

type IdTokenClaims = {
  iss?: string
  aud?: string
  sub?: string
  sid?: string
  nonce?: string
  email?: string
  name?: string
  picture?: string
}

/** @throws UnavailableError when the response is not one of daikon */
export function parseTokenResponse(content: unknown): TokenResponse {
  const response = content as Partial<TokenResponse> | undefined
  const isComplete =
    typeof response?.access_token === 'string' &&
    typeof response.refresh_token === 'string' &&
    typeof response.expires_in === 'number'
  if (isComplete) return response as TokenResponse
  throw new UnavailableError('UNEXPECTED_RESPONSE', 'The token endpoint returned no tokens')
}

/**
 * Creates a session. Its times are measured by the local clock from the receipt of the response, so it
 * does not matter how far that clock is off.
 */
export function createSession(
  response: TokenResponse,
  previous: Session | undefined,
  now = Date.now(),
): Session {
  const idToken = response.id_token ?? previous?.idToken ?? ''
  const { sid = '', email = '', name = '', picture = '' } = decodeClaims(idToken) as IdTokenClaims
  const access = decodeClaims(response.access_token)
  const user: User = {
    id: String(access.sub ?? ''),
    email,
    name,
    picture,
    workspace: { id: String(access.wid ?? ''), slug: String(access.wslug ?? '') },
  }
  return {
    id: sid,
    sequence: previous ? previous.sequence + 1 : 0,
    startedAt: previous?.startedAt ?? now,
    receivedAt: now,
    expiresAt: now + response.expires_in * 1000,
    accessToken: response.access_token,
    refreshToken: response.refresh_token,
    idToken,
    user: previous && isSameUser(previous.user, user) ? previous.user : user,
  }
}

/** Whether the access token is valid for at least another `margin`. */
export function isValid({ receivedAt, expiresAt }: Session, margin = 0, now = Date.now()): boolean {
  // A clock that was set back says nothing about the age of the token.
  return now >= receivedAt && now < expiresAt - margin
}

/** Whether the access token does not need a refresh yet. */
export function isFresh(session: Session, now = Date.now()): boolean {
  const lifetime = session.expiresAt - session.receivedAt
  return isValid(session, Math.min(refreshMargin, lifetime / 10), now)
}

/** Whether a session replaces another one: later tokens, or a later sign-in. */
export function isNewer(session: Session, than: Session): boolean {
  if (session.id === than.id) return session.sequence > than.sequence
  return session.startedAt > than.startedAt
}

export function isSameUser(user: User, other: User): boolean {
  return JSON.stringify(user) === JSON.stringify(other)
}

/**
 * Decodes the claims of a token without verifying its signature: tokens come directly from the token
 * endpoint (OpenID Connect Core, 3.1.3.7).
 */
export function decodeClaims(token: string): Record<string, unknown> {
  try {
    const [, payload = ''] = token.split('.')
    const bytes = atob(payload.replaceAll('-', '+').replaceAll('_', '/'))
    const text = new TextDecoder().decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0)))
    return JSON.parse(text)
  } catch (cause) {
    throw new UnavailableError('UNEXPECTED_RESPONSE', 'A token is malformed', { cause })
  }
}
