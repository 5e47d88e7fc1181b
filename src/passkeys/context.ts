import type { ActivityStore } from '../activity/store/activity-store.ts'
import type { RequestContext } from '../core/request-context.ts'
import type { IdentityDependencies } from '../identity/identity-dependencies.ts'
import type { AccountStore } from '../identity/store/account-store.ts'
import type { BrowserSessionStore } from '../identity/store/browser-session-store.ts'
import type { CodeStore } from '../identity/store/code-store.ts'
import type { RevocationStore } from '../identity/store/revocation-store.ts'
import type { SessionStore } from '../identity/store/session-store.ts'
import type { UserStore } from '../identity/store/user-store.ts'
import type { Challenges } from './challenges.ts'
import type { RelyingParty } from './relying-party.ts'
import type { PasskeySettings } from './settings.ts'
import type { PasskeyStore } from './store/passkey-store.ts'

/** What passkeys need as long as the node lives. */
export type PasskeyServices = { challenges: Challenges; relyingParty: RelyingParty }

export type PasskeyStores = {
  accounts: AccountStore
  activity: ActivityStore
  browserSessions: BrowserSessionStore
  codes: CodeStore
  passkeys: PasskeyStore
  revocations: RevocationStore
  sessions: SessionStore
  users: UserStore
}

/** The context of the handlers of passkeys. */
export type PasskeyContext = RequestContext<PasskeyStores> & {
  identity: IdentityDependencies
  passkeyServices: PasskeyServices
  settings: PasskeySettings
}
