import { Migration } from '@mikro-orm/migrations'

/** Lets an erasure find the entries of the activity log that contain a condition. */
export class ConditionEntries extends Migration {
  override name = '079-condition-entries'

  override up(): void {
    this.addSql("create index activity_conditions on activity (id) where detail ? 'condition'")
  }
}
