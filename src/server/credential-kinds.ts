import { connectionSessionVariant } from '../connections/session-credential.ts'
import type { CredentialKind, PresentingCall } from '../core/credential-kind.ts'
import type { Database } from '../database/database.ts'
import type { FindApiKey } from '../identity/api-keys.ts'
import { createAdministratorKind } from '../identity/credentials/administrator.ts'
import { createManagementAppKind } from '../identity/credentials/management-app.ts'
import { createServiceAccountVariant } from '../identity/credentials/service-account.ts'
import { createClientKind, createServiceKeyKind } from '../identity/credentials/service-key.ts'
import { createUserKind } from '../identity/credentials/user.ts'
import { createFindManagementScopes } from '../identity/management-apps.ts'
import type { TokenMemory } from '../identity/token-memory.ts'
import { createScimKind } from '../scim/scim-credential.ts'
import { createFindScimToken } from '../scim/scim-tokens.ts'

type Dependencies = {
  database: Pick<Database, 'statements'>
  memory: TokenMemory
  findApiKey: FindApiKey
  keysRequired: boolean
  adminOrigins: string[]
  onServiceKeyUsed: (keyHash: string, now: Date) => void
  onServiceKeyRejected: (keyHash: string, call: PresentingCall) => void
  onApiKeyUsed: (keyId: string, now: Date) => void
  onScimTokenUsed: (tokenId: string, now: Date) => void
}

/** Returns the kinds of credentials of all features. A method whose kinds are not here is refused. */
export function createCredentialKinds(dependencies: Dependencies): CredentialKind[] {
  const { database, memory, findApiKey, onApiKeyUsed } = dependencies
  const { statements } = database
  const userVariants = [createServiceAccountVariant(onApiKeyUsed), connectionSessionVariant]
  return [
    createUserKind(memory, findApiKey, userVariants),
    createServiceKeyKind(dependencies),
    createClientKind(dependencies),
    createAdministratorKind(memory, dependencies.adminOrigins),
    createManagementAppKind(memory, createFindManagementScopes(statements)),
    createScimKind(memory, createFindScimToken(statements), dependencies.onScimTokenUsed),
  ]
}
