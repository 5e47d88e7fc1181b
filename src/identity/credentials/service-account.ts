import type { CredentialVariant } from '../../core/credential-kind.ts'
import { ServiceError } from '../../core/errors.ts'
import { reasons } from '../reasons.ts'

export const serviceAccount = 'service_account'

/** The API keys and access tokens of service accounts. */
export function createServiceAccountVariant(
  onApiKeyUsed: (keyId: string, now: Date) => void,
): CredentialVariant {
  return {
    name: serviceAccount,
    includes: ({ user }) => user?.isServiceAccount === true,
    refusal: () => new ServiceError(reasons.API_KEY_NOT_ACCEPTED),
    onAccepted({ user }, now) {
      if (user?.apiKeyPrefix) onApiKeyUsed(user.token.id, now)
    },
  }
}
