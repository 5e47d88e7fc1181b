import { Migration } from '@mikro-orm/migrations'

/**
 * Marks the deliveries from which an erasure has removed personal data, so that an attempt that was
 * running stores no response. Nodes of the previous version ignore it.
 */
export class RedactedDeliveries extends Migration {
  override name = '078-redacted-deliveries'

  override up(): void {
    this.addSql(
      'alter table webhook_deliveries add column is_redacted boolean not null default false',
    )
  }
}
