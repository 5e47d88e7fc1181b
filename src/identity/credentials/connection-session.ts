import type { CredentialVariant } from '../../core/credential-kind.ts'
import { connectionSession } from '../user-errors.ts'

/**
 * The access tokens of sessions that began through a connection of a workspace. They reach no more on a server
 * that has lost its connections.
 */
export const connectionSessionVariant: CredentialVariant = {
  name: 'connection_session',
  includes: ({ user }) => Boolean(user?.connectionId),
  refusal: connectionSession,
}
