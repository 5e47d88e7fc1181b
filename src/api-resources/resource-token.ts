import type { CredentialVariant } from '../core/credential-kind.ts'
import { wrongAudience } from '../identity/user-errors.ts'

/**
 * The access tokens that are limited to the API of a service. They count only together with a key of that
 * service; in development mode, any key is one.
 */
export const resourceTokenVariant: CredentialVariant = {
  name: 'resource_token',
  includes: ({ user }) => user?.forService !== undefined,
  isTaken: ({ user, service }) =>
    service !== undefined && (service.name === undefined || service.name === user?.forService),
  refusal: wrongAudience,
}
