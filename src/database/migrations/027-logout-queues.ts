import { Migration } from '@mikro-orm/migrations'

/**
 * Adds the queue of each client app, so that an app that does not respond delays no other one.
 * Nodes of the previous version ignore it.
 */
export class LogoutQueues extends Migration {
  override name = '027-logout-queues'

  override up(): void {
    // The next batch of the app starts at next_batch_at at the earliest: while a batch is being
    // sent, when its node must have given up, and after failures, when the pause ends.
    this.addSql(`
      create table logout_queues (
        client_id uuid primary key references client_apps on delete cascade,
        failures integer not null default 0,
        next_batch_at timestamptz not null
      )`)
    this.addSql(`create index logout_notifications_by_client
      on logout_notifications (client_id, next_attempt_at)`)
    this.addSql('drop index logout_notifications_client_id_idx')
    this.addSql('drop index logout_notifications_next_attempt_at_idx')
  }
}
