import type { EntityManager } from '@mikro-orm/postgresql'
import type { Acknowledgement } from '../../gen/daikon/v1/acknowledgement.ts'
import type { AdminLogoutResponse } from '../../gen/daikon/v1/auth.ts'
import { type RequestContext, requireAdmin, requireUser } from '../core/request-context.ts'
import { inTransaction } from '../database/transaction.ts'
import { endSessionsOf } from './refresh-families.ts'

/**
 * Denies the access token and ends every session of the user (specification 5.4); what access tokens
 * these have is denied, too.
 */
export async function logout({ em, principal, now }: RequestContext): Promise<Acknowledgement> {
  const { id, token } = requireUser(principal)
  return inTransaction(em, async (em) => {
    await denyToken(em, token)
    await endSessionsOf(em, now, { user_id: id })
    return { status: 'ok' }
  })
}

/** Denies the admin token; the empty one in the answer deletes the cookie. */
export async function adminLogout({ em, principal }: RequestContext): Promise<AdminLogoutResponse> {
  await denyToken(em, requireAdmin(principal).token)
  return { status: 'ok', admin_token: '' }
}

function denyToken(em: EntityManager, { id, expiresAt }: { id: string; expiresAt: Date }) {
  return em.execute(
    'insert into denied_tokens (token_id, expires_at) values (?, ?) on conflict do nothing',
    [id, expiresAt],
  )
}
