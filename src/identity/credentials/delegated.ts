import type { CredentialVariant } from '../../core/credential-kind.ts'
import { delegatedTokenRefused } from '../user-errors.ts'

/**
 * The access tokens by which agents act for users. Methods that decide take them, and none that changes what
 * the user has. They reach no more on a server that has lost its delegations.
 */
export const delegatedVariant: CredentialVariant = {
  name: 'delegated',
  includes: ({ user }) => user?.delegation !== undefined,
  refusal: delegatedTokenRefused,
}
