import type { EntityManager } from '@mikro-orm/postgresql'
import { v4 as randomUuid } from 'uuid'
import type { ReadRows } from '../../core/deployment-checks.ts'
import { newId } from '../../core/new-id.ts'
import { query } from '../../database/query.ts'
import type { Route } from '../route.ts'

/** The routes of a service before a change. */
export type ReplacedRoutes = { id: string; previous: Route[]; hasChanged: boolean }

/** The routes of services. */
export class RouteStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Replaces the routes of a service. Call it in a transaction. */
  async replace(serviceName: string, routes: Route[]): Promise<ReplacedRoutes> {
    const json = JSON.stringify(routes)
    await query(this.#em, insertSql, [serviceName, newId(), randomUuid()])
    const [current] = await query<{ id: string; routes: Route[]; hasChanged: boolean }>(
      this.#em,
      lockSql,
      [serviceName, json],
    )
    const { id, routes: previous, hasChanged } = current as NonNullable<typeof current>
    if (hasChanged) await query(this.#em, updateSql, [serviceName, json, randomUuid()])
    return { id, previous, hasChanged }
  }

  /** Returns the routes of a service, in order. */
  async list(serviceName: string): Promise<Route[]> {
    const [row] = await query<{ routes: Route[] }>(this.#em, listSql, [serviceName])
    return row?.routes ?? []
  }
}

/** $1 service name, $2 ID, $3 version. Inserts an empty list, unless the service has routes. */
const insertSql = `
  insert into service_routes (service_name, id, version, routes) values ($1, $2, $3, '[]')
  on conflict do nothing`

/** $1 service name, $2 new routes. Returns the current routes, and whether they differ. */
const lockSql = `
  select id, routes, routes <> $2::jsonb as "hasChanged" from service_routes
  where service_name = $1 for update`

/** $1 service name, $2 new routes, $3 new version. */
const updateSql = 'update service_routes set routes = $2, version = $3 where service_name = $1'

/** $1 service name. */
const listSql = 'select routes from service_routes where service_name = $1'

/** $1 service names. Returns a RoutesRow for each service that has had routes. */
export const routesSql = `
  select service_name, version, routes from service_routes where service_name = any($1::text[])`

/** Returns the routes of every service that has any. */
export function listServices(readRows: ReadRows): Promise<ServiceRoutes[]> {
  return readRows(listServicesSql)
}

type ServiceRoutes = { serviceName: string; routes: Route[] }

const listServicesSql = `
  select service_name as "serviceName", routes from service_routes
  where routes <> '[]' order by service_name`

export type RoutesRow = [serviceName: string, version: string, routes: Route[]]
