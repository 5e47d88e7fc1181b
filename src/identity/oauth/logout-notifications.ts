import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '../../database/query.ts'
import type { Tokens } from '../tokens.ts'

type Notification = {
  id: string
  clientId: string
  userId: string
  sessionId: string
  uri: string
}

/** The maximum number of logout tokens that one call sends. */
export const maxNotifications = 50

/** The time that a client app has to respond, in milliseconds. */
const timeout = 5000

/** The lifetime of a logout token, in seconds. */
const logoutTokenSeconds = 120

/** The event that makes a token a logout token (OpenID Connect Back-Channel Logout 1.0, 2.4). */
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout'

/**
 * Sends due logout tokens to client apps and returns how many were due. Failed deliveries are
 * retried with exponential backoff for up to an hour.
 */
export async function sendLogoutTokens(
  em: EntityManager,
  tokens: Tokens,
  now: Date,
): Promise<number> {
  const notifications = await claimNotifications(em, now)
  const results = await Promise.all(
    notifications.map(async (notification) => {
      const isReceived = await sendLogoutToken(tokens, notification)
      return isReceived ? [notification.id] : []
    }),
  )
  const received = results.flat()
  if (received.length > 0)
    await query(em, 'delete from logout_notifications where id = any($1::uuid[])', [received])
  return notifications.length
}

/** Claims due notifications, so that no other node sends them, and schedules their next attempt. */
function claimNotifications(em: EntityManager, now: Date): Promise<Notification[]> {
  return query<Notification>(
    em,
    `with due as (
       select id from logout_notifications
       where next_attempt_at <= $1 and expires_at > $1
       order by next_attempt_at limit ${maxNotifications} for update skip locked
     )
     update logout_notifications n
     set attempts = n.attempts + 1,
       next_attempt_at = $1::timestamptz + make_interval(secs => 10 * power(2, least(n.attempts, 6)))
     from due, client_apps a
     where n.id = due.id and a.id = n.client_id and a.backchannel_logout_uri is not null
     returning n.id, n.client_id as "clientId", n.user_id as "userId",
       n.session_id as "sessionId", a.backchannel_logout_uri as uri`,
    [now],
  )
}

async function sendLogoutToken(
  tokens: Tokens,
  { clientId, userId, sessionId, uri }: Notification,
): Promise<boolean> {
  const claims = { sub: userId, sid: sessionId, jti: randomUUID(), events: { [logoutEvent]: {} } }
  const logout_token = await tokens.signForClient('logout', claims, clientId, logoutTokenSeconds)
  try {
    const response = await fetch(uri, {
      method: 'POST',
      body: new URLSearchParams({ logout_token }),
      // Only the registered URI may receive the token.
      redirect: 'error',
      signal: AbortSignal.timeout(timeout),
    })
    await response.body?.cancel()
    return response.ok
  } catch {
    return false
  }
}
