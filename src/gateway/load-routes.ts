import { createBatcher } from '../database/batching.ts'
import { textArray } from '../database/sql-values.ts'
import type { Statements } from '../database/statement-pool.ts'
import { createRouteTable, type RouteTable } from './route-table.ts'
import { type RoutesRow, routesSql } from './store/route-store.ts'

/**
 * Returns the routes of a service in a version or, if they have changed since, in a later one. Returns
 * a promise only if the version is not in memory.
 */
export type LoadRoutes = (
  serviceName: string,
  version: string | undefined,
) => RouteTable | Promise<RouteTable>

/**
 * Keeps the last version of the routes of each service in memory. The version comes with the status
 * of the caller, which every call reads, so routes in memory need no statement.
 */
export function createLoadRoutes(statements: Statements): LoadRoutes {
  /** Only services with a valid key are looked up. */
  const remembered = new Map<string, { version: string; table: RouteTable }>()

  const load = createBatcher(
    async (serviceNames: string[]) => {
      const services = [...new Set(serviceNames)]
      const rows = await statements.rows<RoutesRow>('routes', routesSql, [textArray(services)])
      const tables = new Map<string, RouteTable>()
      for (const [service, version, routes] of rows) {
        const table = createRouteTable(routes)
        remembered.set(service, { version, table })
        tables.set(service, table)
      }
      return serviceNames.map((name) => tables.get(name) ?? [])
    },
    { callerOf: (serviceName) => serviceName },
  )

  return (serviceName, version) => {
    if (version === undefined) return []
    const cached = remembered.get(serviceName)
    return cached?.version === version ? cached.table : load(serviceName)
  }
}
