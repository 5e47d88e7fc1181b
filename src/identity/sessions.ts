import type { EntityManager } from '@mikro-orm/postgresql'
import type {
  EndOtherSessionsRequest,
  EndSessionRequest,
  EndSessionResponse,
  ListSessionsRequest,
  ListSessionsResponse,
  Session,
} from '../../gen/daikon/v1/users.ts'
import { type Context, requireUser } from '../rpc/call.ts'
import { Fault } from '../rpc/fault.ts'
import { RefreshFamily, RefreshToken } from '../storage/entities/sign-in.ts'
import { isoTime } from '../storage/timestamp.ts'
import { inTransaction } from '../storage/transaction.ts'
import { endSessionsOf, revokeFamilies } from './families.ts'

/** The user's sessions, newest first; a session is a refresh family that still holds. */
export async function listSessions(
  { em, caller, now }: Context,
  _request: ListSessionsRequest,
): Promise<ListSessionsResponse> {
  const { id, token } = requireUser(caller)
  return { sessions: await sessionsOf(em, now, id, await findFamily(em, token.id)) }
}

/** A user's sessions, newest first, one of which may be the caller's own. */
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
  { em, caller, now }: Context,
  { session_id }: EndSessionRequest,
): Promise<EndSessionResponse> {
  const { id } = requireUser(caller)
  return inTransaction(em, async (em) => {
    if (!(await em.count(RefreshFamily, { id: session_id, user_id: id })))
      throw new Fault('missing', 'SESSION_NOT_FOUND', 'Session not found')
    await revokeFamilies(em, now, [session_id])
    return {}
  })
}

/** Ends every session of the user's but the one this access token came with. */
export async function endOtherSessions(
  { em, caller, now }: Context,
  _request: EndOtherSessionsRequest,
): Promise<EndSessionResponse> {
  const { id, token } = requireUser(caller)
  return inTransaction(em, async (em) => {
    await endSessionsOf(em, now, { user_id: id }, await findFamily(em, token.id))
    return {}
  })
}

async function findFamily(em: EntityManager, accessTokenId: string): Promise<string | undefined> {
  return (await em.findOne(RefreshToken, { access_token_id: accessTokenId }))?.family_id
}
