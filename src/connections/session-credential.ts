import type { CredentialVariant } from '../core/credential-kind.ts'
import { connectionSession } from '../identity/user-errors.ts'

/** The access tokens of sessions that began through a connection of a workspace. */
export const connectionSessionVariant: CredentialVariant = {
  name: 'connection_session',
  includes: ({ user }) => Boolean(user?.connectionId),
  refusal: connectionSession,
}
