import { Migration } from '@mikro-orm/migrations'

/**
 * Records whether the provider of a browser session reported when the user signed in. Without a report,
 * only the time of the callback is known.
 */
export class ReportedSignInTimes extends Migration {
  override name = '076-reported-sign-in-times'

  override up(): void {
    this.addSql(`
      alter table browser_sessions add column is_time_reported boolean not null default false`)
  }
}
