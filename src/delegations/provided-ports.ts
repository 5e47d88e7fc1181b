import type { UserDelegations } from '../admin/ports.ts'
import type { TokenDelegations } from '../identity/ports.ts'
import type { DelegationStore } from './store/delegation-store.ts'
import type { ExchangeStore } from './store/exchange-store.ts'
import { viewDelegation } from './view.ts'

/** What delegations tell the features below. */
export const delegationPorts = {
  tokenDelegations: ({ exchanges }: { exchanges: ExchangeStore }): TokenDelegations => ({
    findService: (id) => exchanges.findService(id),
  }),
  userDelegations: ({ delegations }: { delegations: DelegationStore }): UserDelegations => ({
    list: async (userId) => (await delegations.list({ userId })).map(viewDelegation),
  }),
}
