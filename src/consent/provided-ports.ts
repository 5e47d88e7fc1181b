import type { UserGrants } from '../admin/ports.ts'
import type { SignInConsents } from '../identity/ports.ts'
import { agree, type ConsentStores } from './agree.ts'
import { ask } from './ask.ts'
import { endGrants } from './end-grants.ts'
import { filterAdmitting } from './filter-admitting.ts'
import { viewGrant } from './grants.ts'

/** What consents tell the features below. */
export const consentPorts = {
  signInConsents: (stores: ConsentStores): SignInConsents => ({
    filter: (client, workspaces) => filterAdmitting(stores, client, workspaces),
    ask: (now, question) => ask(stores, now, question),
    agree: (context, question, agreement) => agree(stores, context, question, agreement),
    async endExternal({ actor, now }, workspaceId) {
      await endGrants(stores, actor, await stores.consents.listExternal(workspaceId), now)
    },
    use: (grantId, now) => stores.consents.use(grantId, now),
  }),
  userGrants: ({ consents }: Pick<ConsentStores, 'consents'>): UserGrants => ({
    list: async (userId) => (await consents.list(userId)).map(viewGrant),
  }),
}
