import type { CredentialVariant } from '../../core/credential-kind.ts'
import { ServiceError } from '../../core/errors.ts'
import { reasons } from '../reasons.ts'

export const serviceAccount = 'service_account'

/** The API keys and access tokens of service accounts. */
export function createServiceAccountVariants({
  onApiKeyUsed,
}: {
  onApiKeyUsed: (keyId: string, now: Date) => void
}): CredentialVariant[] {
  const variant: CredentialVariant = {
    name: serviceAccount,
    includes: ({ user }) => user?.isServiceAccount === true,
    refusal: () => new ServiceError(reasons.API_KEY_NOT_ACCEPTED),
    onAccepted({ user }, now) {
      if (user?.apiKeyPrefix) onApiKeyUsed(user.token.id, now)
    },
  }
  return [variant]
}
