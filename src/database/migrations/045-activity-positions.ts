import { Migration } from '@mikro-orm/migrations'

/**
 * Lets entries be sealed in the order of their transactions, and adds the version of the seal.
 * Entries of earlier versions have neither. Nodes of the previous version seal by ID, with version
 * 1.
 */
export class ActivityPositions extends Migration {
  override name = '045-activity-positions'

  override up(): void {
    // The default is separate, because PostgreSQL would otherwise rewrite the table.
    this.addSql('alter table activity add column xid xid8, add column seal_version int')
    this.addSql('alter table activity alter column xid set default pg_current_xact_id()')
    this.addSql('drop index activity_unsealed_idx')
    this.addSql(`
      create index activity_unsealed_idx on activity (xid nulls first, id)
      where seal_seq is null`)
  }
}
