import { LockMode } from '@mikro-orm/core'
import type { RefreshTokenRequest, TokenResponse } from '../../gen/daikon/v1/auth.ts'
import { ServiceError } from '../core/errors.ts'
import { violates } from '../database/database-errors.ts'
import { RefreshFamily, RefreshToken } from '../database/entities/sign-in.ts'
import { inTransaction } from '../database/transaction.ts'
import { loadAccessClaims } from './access-claims.ts'
import type { IdentityContext } from './identity-dependencies.ts'
import { issuePair, revokeFamilies } from './refresh-families.ts'

/** Exchanges a refresh token once; a second time is theft and ends the family (specification 5.2). */
export async function refreshToken(
  context: IdentityContext,
  request: RefreshTokenRequest,
): Promise<TokenResponse> {
  const { em, now, identity } = context
  const { jti } = await identity.tokens.verify('refresh', request.refresh_token)
  try {
    const tokens = await inTransaction(em, async (em) => {
      const token = await em.findOne(RefreshToken, { token_id: jti })
      if (!token) return undefined
      // Locked first, as whoever ends it does: else the two would wait for each other.
      const lockMode = LockMode.PESSIMISTIC_WRITE
      const family = await em.findOne(RefreshFamily, { id: token.family_id }, { lockMode })
      if (!family) return undefined
      const unused = { token_id: jti, consumed_at: null }
      if (!(await em.nativeUpdate(RefreshToken, unused, { consumed_at: now }))) {
        await revokeFamilies(em, now, [family.id])
        return undefined
      }
      const { user_id: userId, workspace_id: workspaceId, expires_at: expiresAt } = family
      const subject = await loadAccessClaims(em, { userId, workspaceId })
      if (!subject || expiresAt <= now) return undefined
      await em.nativeUpdate(RefreshFamily, { id: family.id }, { last_used_at: now })
      return issuePair(em, now, identity, { id: family.id, expiresAt }, subject)
    })
    if (tokens) return tokens
  } catch (error) {
    // The family was revoked while its token was being exchanged.
    if (!violates(error, 'foreign')) throw error
  }
  throw new ServiceError(
    'unauthenticated',
    'REFRESH_TOKEN_REFUSED',
    'The refresh token holds no more',
  )
}
