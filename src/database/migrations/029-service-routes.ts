import { Migration } from '@mikro-orm/migrations'

/**
 * Stores the routes of services, by which gateways ask for decisions. Each change gives a service a
 * new version, so that a node can confirm that the routes in its memory are current.
 */
export class ServiceRoutes extends Migration {
  override name = '029-service-routes'

  override up(): void {
    this.addSql(`
      create table service_routes (
        service_name text primary key,
        id uuid not null unique,
        version uuid not null,
        routes jsonb not null
      )`)
  }
}
