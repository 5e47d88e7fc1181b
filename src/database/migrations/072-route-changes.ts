import { Migration } from '@mikro-orm/migrations'

/**
 * Also records changes of the routes of services as changes of everything: the version of the routes
 * belongs to the status of callers, which nodes cache (migration 024).
 */
export class RouteChanges extends Migration {
  override name = '072-route-changes'

  override up(): void {
    for (const [operation, rows] of [
      ['insert', 'new table as changed'],
      ['update', 'new table as changed'],
      ['delete', 'old table as changed'],
    ])
      this.addSql(`create trigger record_access_${operation} after ${operation} on service_routes
        referencing ${rows} for each statement execute function record_service_changes()`)
    this.addSql(`create trigger record_truncation after truncate on service_routes
      for each statement execute function record_truncation()`)
  }
}
