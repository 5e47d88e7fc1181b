import { DelegationStore } from './delegation-store.ts'
import { ExchangeStore } from './exchange-store.ts'
import { DelegationPreviewStore } from './preview-store.ts'

/** The stores of the feature, by the name under which handlers use them. */
export const delegationStores = {
  delegations: DelegationStore,
  exchanges: ExchangeStore,
  delegationPreviews: DelegationPreviewStore,
}
