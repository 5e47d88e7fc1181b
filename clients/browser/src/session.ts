import type { User } from './api.ts'
import { UnavailableError } from './errors.ts'

/**
 * The tokens of a signed-in user and the times at which this browser received them. Plain data,
 * because tabs exchange it.
 */
export type Session = {
  /** The ID of the session at daikon (`sid`). */
  id: string
  /** The number of refreshes, by which tabs determine the latest tokens. */
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

/** The time before its expiry at which an access token is refreshed, in milliseconds. */
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

/**
 * Parses a response of the token endpoint.
 *
 * @throws UnavailableError if the response did not come from daikon
 */
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
 * Creates a session. Its times are measured with the local clock, starting when the response was
 * received, so the clock does not have to be correct.
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

/** Whether the access token remains valid for at least `margin` milliseconds. */
export function isValid({ receivedAt, expiresAt }: Session, margin = 0, now = Date.now()): boolean {
  // If the clock was set back, the age of the token is unknown.
  return now >= receivedAt && now < expiresAt - margin
}

/** Whether the access token does not need to be refreshed yet. */
export function isFresh(session: Session, now = Date.now()): boolean {
  const lifetime = session.expiresAt - session.receivedAt
  return isValid(session, Math.min(refreshMargin, lifetime / 10), now)
}

/** Whether a session replaces another one because of later tokens or a later sign-in. */
export function isNewer(session: Session, than: Session): boolean {
  if (session.id === than.id) return session.sequence > than.sequence
  return session.startedAt > than.startedAt
}

export function isSameUser(user: User, other: User): boolean {
  return JSON.stringify(user) === JSON.stringify(other)
}

/**
 * Decodes the claims of a token. The signature is not verified, because tokens come directly from
 * the token endpoint (OpenID Connect Core, 3.1.3.7).
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
