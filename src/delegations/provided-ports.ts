import type { UserDelegations } from '../admin/ports.ts'
import type { TokenDelegations } from '../identity/ports.ts'
import type { WorkspaceDelegations } from '../workspaces/ports.ts'
import { type EndStores, endDelegations } from './end-delegations.ts'
import type { ExchangeStore } from './store/exchange-store.ts'
import { viewDelegation } from './view.ts'

/** What delegations tell the features below. */
export const delegationPorts = {
  tokenDelegations: ({ exchanges }: { exchanges: ExchangeStore }): TokenDelegations => ({
    findService: (id) => exchanges.findService(id),
  }),
  userDelegations: (stores: EndStores): UserDelegations => ({
    list: async (userId) => (await stores.delegations.list({ userId })).map(viewDelegation),
    async end(actor, userId) {
      await endDelegations(stores, actor, { userId })
    },
  }),
  workspaceDelegations: (stores: EndStores): WorkspaceDelegations => ({
    async end(actor, workspaceId) {
      await endDelegations(stores, actor, { workspaceId })
    },
  }),
}
