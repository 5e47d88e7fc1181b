import { Migration } from '@mikro-orm/migrations'

/** A type of target is found by its actions: an index less, which every entry would have to keep up. */
export class ActivityIndexes extends Migration {
  override name = '009-activity-indexes'

  override up(): void {
    this.addSql('drop index activity_target_type_id_idx')
  }
}
