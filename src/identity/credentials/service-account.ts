import type { CredentialVariant } from '../../core/credential-kind.ts'
import { permissionDenied } from '../../core/errors.ts'

export const serviceAccount = 'service_account'

/** The API keys and access tokens of service accounts. */
export function createServiceAccountVariant(
  onApiKeyUsed: (keyId: string, now: Date) => void,
): CredentialVariant {
  return {
    name: serviceAccount,
    includes: ({ user }) => user?.isServiceAccount === true,
    refusal: () =>
      permissionDenied(
        'API_KEY_NOT_ACCEPTED',
        'Service accounts cannot call this method. Use the access token of a person.',
      ),
    onAccepted({ user }, now) {
      if (user?.apiKeyPrefix) onApiKeyUsed(user.token.id, now)
    },
  }
}
