import { Migration } from '@mikro-orm/migrations'

/**
 * Lets a share have a condition. Its `permission` then begins with `?`, so that whatever reads shares
 * without their conditions, such as a node of the previous version, finds neither a permission nor a
 * role: a share whose condition nobody has judged grants nothing. The covering indexes of shares
 * already contain that column.
 */
export class ShareConditions extends Migration {
  override name = '037-share-conditions'

  override up(): void {
    this.addSql('alter table shares add condition text, add params jsonb')
    this.addSql(`alter table shares add constraint shares_condition_check check (
      (condition is not null) = starts_with(permission, '?')
      and (condition is null) = (params is null)) not valid`)
    this.addSql(`create index shares_by_condition on shares (kind_id, condition)
      where condition is not null`)
    this.addSql(`create index conditional_shares_of_users on shares (user_id, workspace_id)
      where condition is not null and user_id is not null`)
    this.addSql(`create index conditional_shares_of_groups on shares (group_id, workspace_id)
      where condition is not null and group_id is not null`)
  }
}
