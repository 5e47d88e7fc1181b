import { Migration } from '@mikro-orm/migrations'

/**
 * Lets a link have a condition. Its `permission` then begins with `?`, as that of a share does, so
 * that a node of the previous version finds neither a permission nor a role.
 */
export class LinkConditions extends Migration {
  override name = '055-link-conditions'

  override up(): void {
    this.addSql('alter table resource_links add condition text, add params jsonb')
    this.addSql(`alter table resource_links add constraint resource_links_condition_check check (
      (condition is not null) = starts_with(permission, '?')
      and (condition is null) = (params is null)) not valid`)
    this.addSql(`create index links_by_condition on resource_links (kind_id, condition)
      where condition is not null`)
  }
}
