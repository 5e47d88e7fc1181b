import type { OAuthTokenRequest } from '../../../gen/daikon/v1/oauth.ts'
import type { NoteDelegationUse } from '../../identity/note-delegation-use.ts'
import type { TokenExchange } from '../../identity/token-exchange.ts'
import type { ExchangeContext } from './exchange-context.ts'
import { exchangeToken } from './exchange-token.ts'

/** Creates the exchange of tokens by delegations. `noteUse` is called whenever an agent obtains a token. */
export function createTokenExchange(noteUse: NoteDelegationUse): TokenExchange {
  return {
    isEnabled: true,
    // The handlers of a server with delegations find the stores of the feature in their context.
    exchange: (context, request: OAuthTokenRequest) =>
      exchangeToken(context as ExchangeContext, noteUse, request),
  }
}
