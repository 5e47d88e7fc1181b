import { Migration } from '@mikro-orm/migrations'

/**
 * Stores what conditions may read about a resource. The column is `json`, because numbers of `jsonb`
 * can be a hundred times as long as their JSON. The triggers on `resources` record its changes.
 */
export class ResourceAttributes extends Migration {
  override name = '035-resource-attributes'

  override up(): void {
    this.addSql('alter table resources add attributes json')
  }
}
