import { Migration } from '@mikro-orm/migrations'

/** Creates indexes for the filters of the activity log and for the statistics of the dashboard. */
export class ActivityLog extends Migration {
  override name = '005-activity'

  override up(): void {
    this.addSql('create index on activity (action, id)')
    this.addSql('create index on activity (target_type, id)')
    this.addSql('create index on users (created_at)')
  }
}
