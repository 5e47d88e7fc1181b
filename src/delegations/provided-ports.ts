import type { UserDelegations } from '../admin/ports.ts'
import type { WorkspaceDelegations } from '../workspaces/ports.ts'
import { type EndStores, endDelegations } from './end-delegations.ts'
import { viewDelegation } from './view.ts'

/** What delegations tell the features below. */
export const delegationPorts = {
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
