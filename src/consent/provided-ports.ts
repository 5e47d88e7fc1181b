import type { ActivityStore } from '../activity/store/activity-store.ts'
import type { SignInConsents } from '../identity/ports.ts'
import type { CodeStore } from '../identity/store/code-store.ts'
import type { SessionStore } from '../identity/store/session-store.ts'
import { agree } from './agree.ts'
import { ask } from './ask.ts'
import type { ConsentStore } from './store/consent-store.ts'

type Stores = {
  activity: ActivityStore
  codes: CodeStore
  consents: ConsentStore
  sessions: SessionStore
}

/** What consents tell the features below. */
export const consentPorts = {
  signInConsents: (stores: Stores): SignInConsents => ({
    filter: async (_client, workspaces) => workspaces,
    ask: (now, question) => ask(stores, now, question),
    agree: (context, question, agreement) => agree(stores, context, question, agreement),
    use: (grantId, now) => stores.consents.use(grantId, now),
  }),
}
