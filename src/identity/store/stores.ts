import { AccountStore } from './account-store.ts'
import { ApiKeyStore } from './api-key-store.ts'
import { BrowserSessionStore } from './browser-session-store.ts'
import { ClaimsStore } from './claims-store.ts'
import { ClientStore } from './client-store.ts'
import { CodeStore } from './code-store.ts'
import { EnforcementStore } from './enforcement-store.ts'
import { ManagementAppStore } from './management-app-store.ts'
import { RevocationStore } from './revocation-store.ts'
import { SessionStore } from './session-store.ts'
import { UserStore } from './user-store.ts'

/** The stores of the feature, by the name under which handlers use them. */
export const identityStores = {
  accounts: AccountStore,
  apiKeys: ApiKeyStore,
  browserSessions: BrowserSessionStore,
  claims: ClaimsStore,
  clients: ClientStore,
  codes: CodeStore,
  enforcements: EnforcementStore,
  managementApps: ManagementAppStore,
  revocations: RevocationStore,
  sessions: SessionStore,
  users: UserStore,
}
