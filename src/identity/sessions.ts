import type { EntityManager } from '@mikro-orm/postgresql'
import type { Acknowledgement } from '../../gen/daikon/v1/acknowledgement.ts'
import type {
  EndOtherSessionsRequest,
  EndSessionRequest,
  EndSessionResponse,
  ListSessionsRequest,
  ListSessionsResponse,
  Session,
} from '../../gen/daikon/v1/users.ts'
import { actorOf, recordActivity, recordActivityBatch } from '../activity/record-activity.ts'
import { ServiceError } from '../core/errors.ts'
import { type RequestContext, requireUser } from '../core/request-context.ts'
import { RefreshFamily, RefreshToken } from '../database/entities/sign-in.ts'
import { isoTime } from '../database/sql-values.ts'
import { inTransaction } from '../database/transaction.ts'
import { consumeCodes } from './authorization-codes.ts'
import { denyAdminTokens, denyToken, endBrowserSessionsOf, isActiveUser } from './queries.ts'
import { endSessions, revokeRefreshFamilies } from './refresh-families.ts'

/** Lists the user's sessions, newest first. A session is an unexpired refresh-token family. */
export async function listSessions(
  { em, principal, now }: RequestContext,
  _request: ListSessionsRequest,
): Promise<ListSessionsResponse> {
  const { id, token } = requireUser(principal)
  return { sessions: await findSessions(em, now, id, await findSessionId(em, token.id)) }
}

/** Finds the sessions of any user, newest first, and marks the one with the id `currentId`. */
export async function findSessions(
  em: EntityManager,
  now: Date,
  userId: string,
  currentId?: string,
): Promise<Session[]> {
  const condition = { user_id: userId, expires_at: { $gt: now } }
  const families = await em.find(RefreshFamily, condition, { orderBy: { id: 'desc' } })
  return families.map((family) => ({
    id: family.id,
    workspace_id: family.workspace_id,
    provider: family.provider,
    user_agent: family.user_agent,
    created_at: isoTime(family.created_at),
    last_used_at: isoTime(family.last_used_at),
    expires_at: isoTime(family.expires_at),
    current: family.id === currentId,
  }))
}

/** Ends one of the user's sessions. */
export async function endSession(
  { em, principal, now }: RequestContext,
  { session_id }: EndSessionRequest,
): Promise<EndSessionResponse> {
  const { id } = requireUser(principal)
  await inTransaction(em, (em) => endSessionOf(em, now, actorOf(principal), id, session_id))
  return {}
}

/**
 * Ends a session of a user and records it.
 *
 * @throws {ServiceError} not_found if the user has no such session
 */
export async function endSessionOf(
  em: EntityManager,
  now: Date,
  actor: ReturnType<typeof actorOf>,
  userId: string,
  sessionId: string,
): Promise<void> {
  if (!(await em.count(RefreshFamily, { id: sessionId, user_id: userId })))
    throw new ServiceError('not_found', 'SESSION_NOT_FOUND', 'Session not found')
  await endBrowserSessionsOf(em, userId, { familyId: sessionId })
  await revokeRefreshFamilies(em, now, [sessionId])
  await recordActivity(em, actor, {
    action: 'session.ended',
    targetId: sessionId,
    detail: { user_id: userId },
  })
}

/**
 * Ends all of the user's sessions except the one that the access token belongs to. Also ends
 * sign-ins whose code has not been exchanged yet.
 */
export async function endOtherSessions(
  { em, principal, now }: RequestContext,
  _request: EndOtherSessionsRequest,
): Promise<EndSessionResponse> {
  const { id, token } = requireUser(principal)
  return inTransaction(em, async (em) => {
    const currentId = await findSessionId(em, token.id)
    await endAllSessions(em, now, actorOf(principal), id, currentId)
    return {}
  })
}

/**
 * Ends all sessions of a user except `exceptId` and records the end of each. Also ends sign-ins
 * whose code has not been exchanged yet.
 */
export async function endAllSessions(
  em: EntityManager,
  now: Date,
  actor: ReturnType<typeof actorOf>,
  userId: string,
  exceptId?: string,
): Promise<void> {
  await preventSessions(em, now, userId)
  await endBrowserSessionsOf(em, userId, { exceptFamilyId: exceptId })
  const ended = await endSessions(em, now, { user_id: userId }, exceptId)
  const events = ended.map((targetId) => ({ targetId, detail: { user_id: userId } }))
  await recordActivityBatch(em, actor, 'session.ended', events)
}

/**
 * Revokes the access token and ends all of the user's sessions. Also ends sign-ins whose code has
 * not been exchanged yet.
 */
export async function logout({ em, principal, now }: RequestContext): Promise<Acknowledgement> {
  const { id, token } = requireUser(principal)
  return inTransaction(em, async (em) => {
    await preventSessions(em, now, id)
    await denyToken(em, token)
    await endBrowserSessionsOf(em, id)
    await endSessions(em, now, { user_id: id })
    const event = { action: 'user.signed_out', targetId: id, detail: {} } as const
    await recordActivity(em, actorOf(principal), event)
    return { status: 'ok' }
  })
}

/**
 * Ends all access of a user: sessions, open authorization codes and admin tokens. None of them
 * becomes valid again when the user is reactivated.
 */
export async function signOutEverywhere(
  em: EntityManager,
  now: Date,
  userId: string,
): Promise<void> {
  await preventSessions(em, now, userId)
  await denyAdminTokens(em, userId)
  await endBrowserSessionsOf(em, userId)
  await endSessions(em, now, { user_id: userId })
}

/**
 * Waits until concurrent code exchanges have created their sessions, and consumes the codes that
 * have not been exchanged. No code issued before this call can create a session afterwards.
 */
export async function preventSessions(em: EntityManager, now: Date, userId: string): Promise<void> {
  await isActiveUser(em, userId, { lock: true })
  await consumeCodes(em, now, userId)
}

export async function findSessionId(
  em: EntityManager,
  accessTokenId: string,
): Promise<string | undefined> {
  return (await em.findOne(RefreshToken, { access_token_id: accessTokenId }))?.family_id
}
