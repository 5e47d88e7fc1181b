import type { Database } from '../database/database.ts'
import type { Engine } from '../permissions/engine/engine.ts'
import { createAuthorizeAction } from './authorize-action.ts'
import { createAuthorizeEnvoy } from './authorize-envoy.ts'
import { createAuthorizeForwarded } from './authorize-forwarded.ts'
import { createLoadRoutes } from './load-routes.ts'
import { listRoutes, putRoutes } from './routes.ts'

type Dependencies = { database: Pick<Database, 'reads'>; engine: Engine }

/** Creates the handlers of decisions for API gateways. */
export function createGatewayHandlers({ database, engine }: Dependencies) {
  const authorizeAction = createAuthorizeAction(engine)
  const authorizeForwarded = createAuthorizeForwarded(createLoadRoutes(database.reads))
  return {
    AccessService: { authorizeAction, authorizeForwarded },
    Authorization: {
      check: createAuthorizeEnvoy({ action: authorizeAction, forwarded: authorizeForwarded }),
    },
    PermissionService: { putRoutes, listRoutes },
  }
}
