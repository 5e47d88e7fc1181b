import type { CredentialVariant } from '../core/credential-kind.ts'
import { ServiceError } from '../core/errors.ts'
import { reasons } from './reasons.ts'

/** The access tokens of guests, whom methods refuse that show who else is in a workspace. */
export const guestVariant: CredentialVariant = {
  name: 'guest',
  includes: ({ user }) => user?.isGuest === true,
  refusal: () => new ServiceError(reasons.GUEST),
}
