import type { EntityManager } from '@mikro-orm/postgresql'
import type {
  EndOtherSessionsRequest,
  EndSessionRequest,
  EndSessionResponse,
  ListSessionsRequest,
  ListSessionsResponse,
  Session,
} from '../../gen/daikon/v1/users.ts'
import { ServiceError } from '../core/errors.ts'
import { type RequestContext, requireUser } from '../core/request-context.ts'
import { RefreshFamily, RefreshToken } from '../database/entities/sign-in.ts'
import { isoTime } from '../database/sql-values.ts'
import { inTransaction } from '../database/transaction.ts'
import { endSessionsOf, revokeFamilies } from './refresh-families.ts'

/** The user's sessions, newest first; a session is a refresh family that still holds. */
export async function listSessions(
  { em, principal, now }: RequestContext,
  _request: ListSessionsRequest,
): Promise<ListSessionsResponse> {
  const { id, token } = requireUser(principal)
  return { sessions: await sessionsOf(em, now, id, await findFamily(em, token.id)) }
}

/** A user's sessions, newest first, one of which may be the principal's own. */
export async function sessionsOf(
  em: EntityManager,
  now: Date,
  userId: string,
  current?: string,
): Promise<Session[]> {
  const where = { user_id: userId, expires_at: { $gt: now } }
  const families = await em.find(RefreshFamily, where, { orderBy: { id: 'desc' } })
  return families.map((family) => ({
    id: family.id,
    workspace_id: family.workspace_id,
    provider: family.provider,
    user_agent: family.user_agent,
    created_at: isoTime(family.created_at),
    last_used_at: isoTime(family.last_used_at),
    expires_at: isoTime(family.expires_at),
    current: family.id === current,
  }))
}

/** Ends one session of the user's. */
export async function endSession(
  { em, principal, now }: RequestContext,
  { session_id }: EndSessionRequest,
): Promise<EndSessionResponse> {
  const { id } = requireUser(principal)
  return inTransaction(em, async (em) => {
    if (!(await em.count(RefreshFamily, { id: session_id, user_id: id })))
      throw new ServiceError('not_found', 'SESSION_NOT_FOUND', 'Session not found')
    await revokeFamilies(em, now, [session_id])
    return {}
  })
}

/** Ends every session of the user's but the one this access token came with. */
export async function endOtherSessions(
  { em, principal, now }: RequestContext,
  _request: EndOtherSessionsRequest,
): Promise<EndSessionResponse> {
  const { id, token } = requireUser(principal)
  return inTransaction(em, async (em) => {
    await endSessionsOf(em, now, { user_id: id }, await findFamily(em, token.id))
    return {}
  })
}

async function findFamily(em: EntityManager, accessTokenId: string): Promise<string | undefined> {
  return (await em.findOne(RefreshToken, { access_token_id: accessTokenId }))?.family_id
}
