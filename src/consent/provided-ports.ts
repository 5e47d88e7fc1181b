import type { UserGrants } from '../admin/ports.ts'
import type { SignInConsents } from '../identity/ports.ts'
import { agree, type ConsentStores } from './agree.ts'
import { ask } from './ask.ts'
import { viewGrant } from './grants.ts'

/** What consents tell the features below. */
export const consentPorts = {
  signInConsents: (stores: ConsentStores): SignInConsents => ({
    filter: async (_client, workspaces) => workspaces,
    ask: (now, question) => ask(stores, now, question),
    agree: (context, question, agreement) => agree(stores, context, question, agreement),
    use: (grantId, now) => stores.consents.use(grantId, now),
  }),
  userGrants: ({ consents }: Pick<ConsentStores, 'consents'>): UserGrants => ({
    list: async (userId) => (await consents.list(userId)).map(viewGrant),
  }),
}
