import { Migration } from '@mikro-orm/migrations'

/** Drops an index: the log filters a target type by its actions. */
export class ActivityIndexes extends Migration {
  override name = '009-activity-indexes'

  override up(): void {
    this.addSql('drop index activity_target_type_id_idx')
  }
}
