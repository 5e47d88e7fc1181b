import type { CollectUses } from '../../core/collect-uses.ts'
import type { CredentialVariant } from '../../core/credential-kind.ts'
import { ServiceError } from '../../core/errors.ts'
import { reasons } from '../reasons.ts'
import { recordApiKeyUsageSql } from '../store/api-key-store.ts'

export const serviceAccount = 'service_account'

/** The API keys and access tokens of service accounts. */
export function createServiceAccountVariant(collectUses: CollectUses): CredentialVariant {
  const noteUse = collectUses('API key usage', recordApiKeyUsageSql)
  return {
    name: serviceAccount,
    includes: ({ user }) => user?.isServiceAccount === true,
    refusal: () => new ServiceError(reasons.API_KEY_NOT_ACCEPTED),
    onAccepted({ user }, now) {
      if (user?.apiKeyPrefix) noteUse(user.token.id, now)
    },
  }
}
