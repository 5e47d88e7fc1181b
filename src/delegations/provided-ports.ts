import type { UserDelegations } from '../admin/ports.ts'
import type { DelegationStore } from './store/delegation-store.ts'
import { viewDelegation } from './view.ts'

/** What delegations tell the features below. */
export const delegationPorts = {
  userDelegations: ({ delegations }: { delegations: DelegationStore }): UserDelegations => ({
    list: async (userId) => (await delegations.list({ userId })).map(viewDelegation),
  }),
}
