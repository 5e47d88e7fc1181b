import { Migration } from '@mikro-orm/migrations'

/**
 * Creates the indexes that the lists of administrators read in order, whatever the filter, so that
 * their cost does not depend on the number of rows. Replaces an index that one of them covers.
 */
export class BoundedLists extends Migration {
  override name = '053-bounded-lists'

  override up(): void {
    this.addSql(`create index resources_listed_in_workspace
      on resources (workspace_id, kind_id, visibility, id)`)
    this.addSql('create index resources_listed on resources (kind_id, visibility, id)')
    this.addSql('create index resources_listed_of_owner on resources (owner_id, id)')
    this.addSql('drop index if exists resources_workspace_id_kind_id_idx')
    this.addSql('create index activity_of_target on activity (target_id, id)')
  }
}
