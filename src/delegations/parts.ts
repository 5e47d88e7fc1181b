import type { CollectUses } from '../core/collect-uses.ts'
import { createTokenExchange } from './exchange/token-exchange.ts'
import { delegationHandlers } from './handlers.ts'
import { createDelegationJobs } from './jobs.ts'
import { recordDelegationUsageSql } from './store/delegation-store.ts'
import { delegationStores } from './store/stores.ts'

type Dependencies = { collectUses: CollectUses }

/** What delegations run. */
export const parts = {
  stores: delegationStores,
  /** `noteDelegationUse` notes in memory when an agent acted. About once a minute, the days are written. */
  createServices({ collectUses }: Dependencies) {
    const noteDelegationUse = collectUses('delegation usage', recordDelegationUsageSql)
    return { noteDelegationUse, tokenExchange: createTokenExchange(noteDelegationUse) }
  },
  createHandlers: () => delegationHandlers,
  createJobs: createDelegationJobs,
}
