import { hash } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { IdentityContext } from '../identity-dependencies.ts'
import type { IdTokenClaims } from '../tokens.ts'
import { findUserClaims } from './user-queries.ts'

/** The session that an ID token is issued for. */
export type IdTokenSession = {
  id: string
  clientId: string
  userId: string
  scope: string
  workspace: { id: string; slug: string }
  authenticatedAt: Date | undefined
  acr: string | undefined
  amr: string[]
  /** The nonce of the authorization request; absent after a refresh. */
  nonce: string | undefined
}

/** Signs an ID token (OpenID Connect Core 1.0, 2) that is issued together with an access token. */
export async function signIdToken(
  em: EntityManager,
  { identity: { tokens, options } }: IdentityContext,
  session: IdTokenSession,
  accessToken: string,
  issuedAt: Date,
): Promise<string> {
  const { authenticatedAt, acr, amr, nonce } = session
  const profile = await readScopedClaims(em, session.userId, session.scope)
  const claims = {
    ...profile,
    sub: session.userId,
    sid: session.id,
    wid: session.workspace.id,
    wslug: session.workspace.slug,
    at_hash: hash('sha256', accessToken, 'buffer').subarray(0, 16).toString('base64url'),
    ...(nonce !== undefined && { nonce }),
    ...(authenticatedAt && { auth_time: Math.floor(authenticatedAt.getTime() / 1000) }),
    ...(acr !== undefined && { acr }),
    ...(amr.length > 0 && { amr }),
  }
  return tokens.signForClient('id', claims, session.clientId, options.lifetimes.access, issuedAt)
}

/** Returns the claims about a user that the scopes cover (OpenID Connect Core 1.0, 5.4). */
export async function readScopedClaims(em: EntityManager, userId: string, scope: string) {
  const scopes = scope.split(' ')
  const { name, email, avatarUrl } = await findUserClaims(em, userId)
  return {
    ...(scopes.includes('profile') && { name, ...(avatarUrl !== '' && { picture: avatarUrl }) }),
    // An identity provider has verified each address before the first sign-in.
    ...(scopes.includes('email') && { email, email_verified: true }),
  }
}

/**
 * Returns the claims of an ID token that this server issued, even if it has expired, or undefined
 * if it is invalid.
 */
export function readIdTokenHint(
  { identity }: IdentityContext,
  hint: string,
): Promise<IdTokenClaims | undefined> {
  return identity.tokens.readIdToken(hint)
}
