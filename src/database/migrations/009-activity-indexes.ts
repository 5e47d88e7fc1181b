import { Migration } from '@mikro-orm/migrations'

/** Drops an unused index: the log is filtered by target type through the actions of the type. */
export class ActivityIndexes extends Migration {
  override name = '009-activity-indexes'

  override up(): void {
    this.addSql('drop index activity_target_type_id_idx')
  }
}
