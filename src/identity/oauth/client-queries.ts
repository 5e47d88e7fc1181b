import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '../../database/query.ts'

export type ClientRow = {
  id: string
  name: string
  type: 'public' | 'confidential'
  isActive: boolean
  /** Whether `secretHash` is the hash of a valid secret of the client. */
  secretMatches: boolean
}

/** Finds a client app by its ID, and checks whether a secret is one of its valid ones. */
export async function findClient(
  em: EntityManager,
  { id, secretHash, now }: { id: string; secretHash: string; now: Date },
): Promise<ClientRow | undefined> {
  const [client] = await query<ClientRow>(
    em,
    `select a.id, a.name, a.type, a.is_active as "isActive",
       exists (select from client_secrets s where s.app_id = a.id and s.secret_hash = $2
         and (s.expires_at is null or s.expires_at > $3)) as "secretMatches"
     from client_apps a where a.id = $1`,
    [id, secretHash, now],
  )
  return client
}

export type RedirectingClient = { id: string; name: string; isRegistered: boolean }

/** Finds an active client app, and checks whether it has registered exactly this redirect URI. */
export async function findRedirectingClient(
  em: EntityManager,
  id: string,
  redirectUri: string,
): Promise<RedirectingClient | undefined> {
  const [client] = await query<RedirectingClient>(
    em,
    `select a.id, a.name,
       exists (select from client_redirect_uris u where u.app_id = a.id and u.uri = $2)
         as "isRegistered"
     from client_apps a where a.id = $1 and a.is_active`,
    [id, redirectUri],
  )
  return client
}

/**
 * Finds an active client app, and checks whether it has registered exactly this post-logout
 * redirect URI.
 */
export async function findLogoutClient(
  em: EntityManager,
  id: string,
  postLogoutRedirectUri: string,
): Promise<RedirectingClient | undefined> {
  const [client] = await query<RedirectingClient>(
    em,
    `select a.id, a.name, $2 = any(a.post_logout_redirect_uris) as "isRegistered"
     from client_apps a where a.id = $1 and a.is_active`,
    [id, postLogoutRedirectUri],
  )
  return client
}

/**
 * Returns the id of the confidential client app that has registered a redirect URI, unless a public
 * client app has registered it, too.
 */
export async function findConfidentialOwner(
  em: EntityManager,
  redirectUri: string,
): Promise<string | undefined> {
  const [owner] = await query<{ id: string | null }>(
    em,
    `select case when bool_or(a.type = 'public') then null else min(a.id::text) end as id
     from client_redirect_uris u join client_apps a on a.id = u.app_id
     where u.uri = $1 and a.is_active`,
    [redirectUri],
  )
  return owner?.id ?? undefined
}

/** The client app of a session. */
export type SessionClient = { type: 'public' | 'confidential'; isActive: boolean }

export async function findSessionClient(
  em: EntityManager,
  id: string,
): Promise<SessionClient | undefined> {
  const sql = 'select type, is_active as "isActive" from client_apps where id = $1'
  const [client] = await query<SessionClient>(em, sql, [id])
  return client
}
