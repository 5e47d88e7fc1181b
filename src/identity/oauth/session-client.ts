import type { EntityManager } from '@mikro-orm/postgresql'
import { ServiceError } from '../../core/errors.ts'
import { findSessionClient } from './client-queries.ts'

/**
 * Throws if a code or refresh token of this client app may only be used at `/oauth/token`, where
 * confidential clients authenticate, or if the app is inactive.
 */
export async function requireSessionClient(
  em: EntityManager,
  clientId: string | null,
): Promise<void> {
  if (clientId === null) return
  const client = await findSessionClient(em, clientId)
  if (client?.type === 'public' && client.isActive) return
  throw new ServiceError(
    'failed_precondition',
    'CLIENT_AUTHENTICATION_REQUIRED',
    client?.type === 'confidential'
      ? 'The client app is confidential: use /oauth/token with its client secret'
      : 'The client app is not active',
  )
}
