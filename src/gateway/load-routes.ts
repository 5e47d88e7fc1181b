import type { RequestScope } from '../core/request-scope.ts'
import { createBatcher } from '../database/batching.ts'
import { arrayLiteral, textArray } from '../database/sql-values.ts'
import type { Statements } from '../database/statement-pool.ts'
import { createRouteTable, type RouteTable } from './route-table.ts'
import { type CurrentRoutesRow, currentRoutesSql } from './store/route-store.ts'

/** Returns the current routes of a service. */
export type LoadRoutes = (serviceName: string, scope?: RequestScope) => Promise<RouteTable>

/**
 * Keeps routes in memory. Each call confirms that they are current, with a statement that begins
 * after the call, so a change takes effect once it is acknowledged. Concurrent calls share
 * statements.
 */
export function createLoadRoutes(statements: Statements): LoadRoutes {
  /** Only services with a valid key are looked up. */
  const remembered = new Map<string, RememberedRoutes>()

  return createBatcher(
    async (serviceNames: string[]) => {
      const services = [...new Set(serviceNames)]
      // Another statement may replace the routes in memory while this one runs.
      const known = services.map((name) => remembered.get(name))
      const rows = await statements.rows<CurrentRoutesRow>('routes', currentRoutesSql, [
        textArray(services),
        arrayLiteral(known.map((routes) => routes?.version)),
      ])
      const tables = new Map<string, RouteTable>()
      for (const [index, row] of rows.entries()) {
        const service = services[index] as string
        const routes = readRoutes(row, known[index])
        if (routes) remembered.set(service, routes)
        else remembered.delete(service)
        tables.set(service, routes?.table ?? [])
      }
      return serviceNames.map((name) => tables.get(name) ?? [])
    },
    { callerOf: (serviceName) => serviceName },
  )
}

/** The routes of a service in one version. */
type RememberedRoutes = { version: string; table: RouteTable }

function readRoutes(
  [version, routes]: CurrentRoutesRow,
  known: RememberedRoutes | undefined,
): RememberedRoutes | undefined {
  if (version === null) return undefined
  return routes ? { version, table: createRouteTable(routes) } : known
}
