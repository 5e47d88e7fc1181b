import type { CollectUses } from '../../core/collect-uses.ts'
import type { CredentialKind, CredentialVariant } from '../../core/credential-kind.ts'
import type { Statements } from '../../database/statement-pool.ts'
import type { FindApiKey } from '../api-keys.ts'
import { createFindManagementScopes } from '../management-apps.ts'
import type { NoteDelegationUse } from '../note-delegation-use.ts'
import { createVerifyUserToken, type UserTokenDependencies } from '../user-tokens.ts'
import { createAccountPageKind } from './account-page.ts'
import { createAdministratorKind } from './administrator.ts'
import { connectionSessionVariant } from './connection-session.ts'
import { createDelegatedVariant } from './delegated.ts'
import { createManagementAppKind } from './management-app.ts'
import { createServiceAccountVariant } from './service-account.ts'
import {
  createClientKind,
  createServiceKeyKind,
  type ServiceKeyDependencies,
} from './service-key.ts'
import { createUserKind } from './user.ts'

export type IdentityCredentialDependencies = ServiceKeyDependencies &
  UserTokenDependencies & {
    statements: Statements
    findApiKey: FindApiKey
    noteDelegationUse: NoteDelegationUse
    /** The origins whose pages may act with the admin cookie. */
    adminOrigins: string[]
  }

/** Creates the kinds of credentials of users, services, client apps and administration. */
export function createIdentityKinds(
  dependencies: IdentityCredentialDependencies,
  variants: CredentialVariant[],
): CredentialKind[] {
  const { memory, statements, findApiKey, adminOrigins } = dependencies
  const verifyUserToken = createVerifyUserToken(dependencies)
  return [
    createUserKind(memory, verifyUserToken, findApiKey, variants),
    createAccountPageKind(memory, verifyUserToken, findApiKey),
    createServiceKeyKind(dependencies),
    createClientKind(dependencies),
    createAdministratorKind(memory, adminOrigins),
    createManagementAppKind(memory, createFindManagementScopes(statements)),
  ]
}

/** Creates the variants of the credentials of users. */
export function createIdentityVariants({
  collectUses,
  noteDelegationUse,
}: {
  collectUses: CollectUses
  noteDelegationUse: NoteDelegationUse
}): CredentialVariant[] {
  return [
    createDelegatedVariant(noteDelegationUse),
    createServiceAccountVariant(collectUses),
    connectionSessionVariant,
  ]
}
