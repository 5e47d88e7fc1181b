import { listItems } from '../activity/list-change.ts'
import type { DeploymentChecks, ReadRows } from '../core/deployment-checks.ts'
import { findRouteWarnings } from './find-route-warnings.ts'
import { listServices } from './store/route-store.ts'

/** Returns the check of the routes of all services. */
export function createRouteChecks(readRows: ReadRows): DeploymentChecks {
  return {
    routes: async () => {
      const services = await listServices(readRows)
      const risks = services.flatMap(({ serviceName, routes }) =>
        findRouteWarnings(routes).map(
          ({ field, message }) => `${serviceName}: ${field} ${message}`,
        ),
      )
      // Not a failure: whether the application ignores case is not known.
      return risks.length === 0
        ? 'none is risky for an application that ignores the case of paths'
        : `risky for an application that ignores the case of paths: ${listItems(risks, '; ')}`
    },
  }
}
