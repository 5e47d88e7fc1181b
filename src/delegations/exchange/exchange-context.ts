import type { RequestContext } from '../../core/request-context.ts'
import type { FindApiKey } from '../../identity/api-keys.ts'
import type { IdentityContext, IdentityStores } from '../../identity/identity-dependencies.ts'
import type { ExchangeStore } from '../store/exchange-store.ts'

/** The context in which tokens are exchanged. */
export type ExchangeContext = Omit<IdentityContext, 'stores'> &
  RequestContext<IdentityStores & { exchanges: ExchangeStore }> & { findApiKey: FindApiKey }
