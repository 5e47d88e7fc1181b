import type { EntityManager } from '@mikro-orm/postgresql'
import { ServiceError } from '../../core/errors.ts'
import { findSessionClient } from './client-queries.ts'

/**
 * Throws if the client app is inactive or confidential. The codes and refresh tokens of a
 * confidential client can be used only at `/oauth/token`, where it must authenticate.
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
