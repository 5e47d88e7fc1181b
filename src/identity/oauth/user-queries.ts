import type { EntityManager } from '@mikro-orm/postgresql'
import type { Role } from '../../core/roles.ts'
import { query } from '../../database/query.ts'

export type UserClaims = { name: string; email: string; avatarUrl: string }

/** Returns the profile of a user. Its fields are empty if the user does not exist. */
export async function findUserClaims(em: EntityManager, userId: string): Promise<UserClaims> {
  const sql = 'select name, email, avatar_url as "avatarUrl" from users where id = $1'
  const [user] = await query<UserClaims>(em, sql, [userId])
  return user ?? { name: '', email: '', avatarUrl: '' }
}

/**
 * Returns the scope and client app of the session that an access token belongs to, or undefined if
 * it has no session.
 */
export async function findScopeOfToken(
  em: EntityManager,
  accessTokenId: string,
): Promise<{ scope: string | null; clientId: string | null } | undefined> {
  const [session] = await query<{ scope: string | null; clientId: string | null }>(
    em,
    `select f.scope, f.client_id as "clientId"
     from refresh_tokens t join refresh_families f on f.id = t.family_id
     where t.access_token_id = $1`,
    [accessTokenId],
  )
  return session
}

export type TokenOwner = { email: string; role: Role; slug: string }

/** Returns the active member to whom a token belongs, or undefined if the token is denied. */
export async function findTokenOwner(
  em: EntityManager,
  token: { sub: string; wid: string; jti: string },
): Promise<TokenOwner | undefined> {
  const [owner] = await query<TokenOwner>(
    em,
    `select u.email, m.role, w.slug
     from users u join members m on m.user_id = u.id join workspaces w on w.id = m.workspace_id
     where u.id = $1 and m.workspace_id = $2 and u.is_active
       and not exists (select from denied_tokens d where d.token_id = $3)`,
    [token.sub, token.wid, token.jti],
  )
  return owner
}

export type RefreshTokenSession = {
  familyId: string
  clientId: string | null
  scope: string | null
  isConsumed: boolean
}

/** Returns the session of a refresh token. */
export async function findRefreshTokenSession(
  em: EntityManager,
  tokenId: string,
): Promise<RefreshTokenSession | undefined> {
  const [session] = await query<RefreshTokenSession>(
    em,
    `select f.id as "familyId", f.client_id as "clientId", f.scope,
       t.consumed_at is not null as "isConsumed"
     from refresh_tokens t join refresh_families f on f.id = t.family_id where t.token_id = $1`,
    [tokenId],
  )
  return session
}
