import type { CredentialVariant } from '../../core/credential-kind.ts'
import type { NoteDelegationUse } from '../note-delegation-use.ts'
import { delegatedTokenRefused } from '../user-errors.ts'

/**
 * Creates the variant of the access tokens by which agents act for users. Methods that decide take them, and
 * none that changes what the user has. They reach no more on a server that has lost its delegations.
 */
export function createDelegatedVariant(noteDelegationUse: NoteDelegationUse): CredentialVariant {
  return {
    name: 'delegated',
    includes: ({ user }) => user?.delegation !== undefined,
    refusal: delegatedTokenRefused,
    onAccepted({ user }, now) {
      if (user?.delegation) noteDelegationUse(user.delegation.id, now)
    },
  }
}
