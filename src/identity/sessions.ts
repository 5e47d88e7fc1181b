import type { Acknowledgement } from '../../gen/daikon/v1/acknowledgement.ts'
import type {
  EndOtherSessionsRequest,
  EndSessionRequest,
  EndSessionResponse,
  ListSessionsRequest,
  ListSessionsResponse,
  Session,
} from '../../gen/daikon/v1/users.ts'
import { type Actor, actorOf } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { ServiceError } from '../core/errors.ts'
import { type RequestContext, requireUser } from '../core/request-context.ts'
import { isoTime } from '../database/sql-values.ts'
import { connectionName } from './providers/connection.ts'
import { reasons } from './reasons.ts'
import { shownProvider } from './session-provider.ts'
import type { BrowserSessionStore } from './store/browser-session-store.ts'
import type { CodeStore } from './store/code-store.ts'
import type { RevocationStore } from './store/revocation-store.ts'
import type { UserSession } from './store/session-row.ts'
import type { SessionStore } from './store/session-store.ts'
import type { UserStore } from './store/user-store.ts'

/** The stores that a sign-out changes. */
export type SignOutStores = {
  activity: ActivityStore
  browserSessions: BrowserSessionStore
  codes: CodeStore
  revocations: RevocationStore
  sessions: SessionStore
  users: UserStore
}

type SignOutContext = RequestContext<SignOutStores>

/** Lists the user's sessions, newest first. A session is an unexpired refresh-token family. */
export async function listSessions(
  { stores, principal, now }: RequestContext<{ sessions: SessionStore }>,
  _request: ListSessionsRequest,
): Promise<ListSessionsResponse> {
  const { id, token, connectionId } = requireUser(principal)
  const currentId = await stores.sessions.findIdOfAccessToken(token.id)
  const provider = providerOf(connectionId)
  const sessions = await stores.sessions.listUnexpired(id, now, provider)
  return { sessions: sessions.map((session) => viewSession(session, currentId)) }
}

/** Converts a session to a message, and marks the one with the id `currentId`. */
export function viewSession(session: UserSession, currentId?: string): Session {
  return {
    id: session.id,
    workspace_id: session.workspaceId,
    provider: shownProvider(session.provider),
    user_agent: session.userAgent,
    created_at: isoTime(session.createdAt),
    last_used_at: isoTime(session.lastUsedAt),
    expires_at: isoTime(session.expiresAt),
    current: session.id === currentId,
  }
}

/** Ends one of the user's sessions. */
export async function endSession(
  { stores, principal, now }: SignOutContext,
  { session_id }: EndSessionRequest,
): Promise<EndSessionResponse> {
  const { id, connectionId } = requireUser(principal)
  const provider = providerOf(connectionId)
  await stores.transaction((tx) =>
    endSessionOf(tx, now, actorOf(principal), id, session_id, provider),
  )
  return {}
}

/**
 * Ends a session of a user, by `provider` if it is set, and records it.
 *
 * @throws {ServiceError} not_found if the user has no such session
 */
export async function endSessionOf(
  tx: Pick<SignOutStores, 'activity' | 'browserSessions' | 'sessions'>,
  now: Date,
  actor: Actor,
  userId: string,
  sessionId: string,
  provider?: string,
): Promise<void> {
  if (!(await tx.sessions.exists(sessionId, userId, provider)))
    throw new ServiceError(reasons.SESSION_NOT_FOUND)
  await tx.browserSessions.endOfUser(userId, { sessionId })
  await tx.sessions.revoke([sessionId], now)
  const detail = { user_id: userId }
  await tx.activity.record(actor, { action: 'session.ended', targetId: sessionId, detail })
}

/**
 * Ends all of the user's sessions except the one that the access token belongs to. Also ends
 * sign-ins whose code has not been exchanged yet.
 */
export async function endOtherSessions(
  { stores, principal, now }: SignOutContext,
  _request: EndOtherSessionsRequest,
): Promise<EndSessionResponse> {
  const { id, token, connectionId } = requireUser(principal)
  return stores.transaction(async (tx) => {
    const exceptId = await tx.sessions.findIdOfAccessToken(token.id)
    const only = { exceptId, ...providerCondition(connectionId) }
    await endAllSessions(tx, now, actorOf(principal), id, only)
    return {}
  })
}

/**
 * Ends all sessions of a user except `exceptId`, by `provider` if it is set, and records the end of
 * each. Also ends sign-ins whose code has not been exchanged yet.
 */
export async function endAllSessions(
  tx: Omit<SignOutStores, 'revocations'>,
  now: Date,
  actor: Actor,
  userId: string,
  { exceptId, ...by }: { exceptId?: string | undefined; provider?: string } = {},
): Promise<void> {
  await preventSessions(tx, now, userId, by.provider)
  await tx.browserSessions.endOfUser(userId, { exceptSessionId: exceptId, ...by })
  const ended = await tx.sessions.end({ userId, ...by }, now, exceptId)
  const events = ended.map((targetId) => ({
    action: 'session.ended' as const,
    targetId,
    detail: { user_id: userId },
  }))
  await tx.activity.record(actor, ...events)
}

/**
 * Revokes the access token and ends all of the user's sessions, or those through the connection of the
 * token. Also ends sign-ins whose code has not been exchanged yet.
 */
export async function logout({ stores, principal, now }: SignOutContext): Promise<Acknowledgement> {
  const { id, token, connectionId } = requireUser(principal)
  const by = providerCondition(connectionId)
  return stores.transaction(async (tx) => {
    await preventSessions(tx, now, id, by.provider)
    await tx.revocations.deny(token)
    await tx.browserSessions.endOfUser(id, by)
    await tx.sessions.end({ userId: id, ...by }, now)
    const event = { action: 'user.signed_out', targetId: id, detail: {} } as const
    await tx.activity.record(actorOf(principal), event)
    return { status: 'ok' }
  })
}

/**
 * Ends all access of a user: sessions, open authorization codes and admin tokens. None of them
 * becomes valid again when the user is reactivated.
 */
export async function signOutEverywhere(
  tx: Omit<SignOutStores, 'activity'>,
  now: Date,
  userId: string,
): Promise<void> {
  await preventSessions(tx, now, userId)
  await tx.revocations.denyAdminTokens(userId)
  await tx.browserSessions.endOfUser(userId)
  await tx.sessions.end({ userId }, now)
}

/**
 * Waits until concurrent code exchanges have created their sessions, and consumes the codes that
 * have not been exchanged. No code issued before this call can create a session afterwards. `provider`
 * limits this to sign-ins by one provider.
 */
export async function preventSessions(
  tx: Pick<SignOutStores, 'codes' | 'users'>,
  now: Date,
  userId: string,
  provider?: string,
): Promise<void> {
  await tx.users.lock(userId)
  await tx.codes.consumeAll(userId, now, provider)
}

/** The provider to which a session through a connection limits what it sees and ends. */
function providerOf(connectionId: string | undefined): string | undefined {
  return connectionId === undefined ? undefined : connectionName(connectionId)
}

function providerCondition(connectionId: string | undefined): { provider?: string } {
  const provider = providerOf(connectionId)
  return provider === undefined ? {} : { provider }
}
