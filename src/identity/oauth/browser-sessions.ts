import type { EntityManager } from '@mikro-orm/postgresql'
import { v7 as uuid } from 'uuid'
import { BrowserSession } from '../../database/entities/sign-in.ts'
import { query } from '../../database/query.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import type { Identity } from '../providers/provider.ts'
import { createSecret, hashSecret } from '../secret.ts'

/**
 * A browser that is signed in to daikon. Its cookie lets the user open client apps without signing
 * in again.
 */
export type OpenBrowserSession = {
  id: string
  userId: string
  email: string
  provider: string
  authenticatedAt: Date
  acr: string | null
  amr: string[]
}

/**
 * Creates a browser session and deletes the oldest ones of a user who has too many. Returns the
 * session with the secret for its cookie.
 */
export async function createBrowserSession(
  em: EntityManager,
  { identity: { options, clock } }: IdentityContext,
  { id: userId, email }: { id: string; email: string },
  { provider, authentication = {} }: Identity,
): Promise<OpenBrowserSession & { secret: string }> {
  const now = clock()
  const secret = createSecret()
  const { time, acr, amr = [] } = authentication
  const session = {
    id: uuid(),
    userId,
    email,
    provider,
    // A provider may have authenticated the user long before it redirected back.
    authenticatedAt: time && time < now ? time : now,
    acr: acr ?? null,
    amr,
  }
  await em.insert(BrowserSession, {
    id: session.id,
    secret_hash: hashSecret(secret),
    user_id: userId,
    provider,
    authenticated_at: session.authenticatedAt,
    acr: session.acr,
    amr,
    created_at: now,
    expires_at: new Date(now.getTime() + options.lifetimes.refresh * 1000),
  })
  await query(
    em,
    `delete from browser_sessions where id in (
       select id from browser_sessions where user_id = $1 order by created_at desc, id desc offset $2)`,
    [userId, options.maxSessionsPerUser],
  )
  return { ...session, secret }
}

/** Finds the session of a cookie, unless it has expired or its user is inactive. */
export async function findBrowserSession(
  em: EntityManager,
  now: Date,
  secret: string | undefined,
): Promise<OpenBrowserSession | undefined> {
  if (!secret) return undefined
  const [session] = await query<Omit<OpenBrowserSession, 'authenticatedAt'> & { time: string }>(
    em,
    `select s.id, s.user_id as "userId", u.email, s.provider, s.acr, s.amr,
       s.authenticated_at as time
     from browser_sessions s join users u on u.id = s.user_id
     where s.secret_hash = $1 and s.expires_at > $2 and u.is_active`,
    [hashSecret(secret), now],
  )
  if (!session) return undefined
  const { time, ...rest } = session
  return { ...rest, authenticatedAt: new Date(time) }
}

/** Returns the workspace that a client app last used in a browser session. */
export async function findLastWorkspace(
  em: EntityManager,
  browserSessionId: string,
  clientId: string,
): Promise<string | undefined> {
  const [family] = await query<{ workspace_id: string }>(
    em,
    `select workspace_id from refresh_families
     where browser_session_id = $1 and client_id = $2 order by last_used_at desc limit 1`,
    [browserSessionId, clientId],
  )
  return family?.workspace_id
}
