import { Migration } from '@mikro-orm/migrations'

/**
 * Shares that expire. Nodes of the previous version ignore the time: for them, an expired share is
 * effective until a node of this version deletes it.
 */
export class ShareExpiry extends Migration {
  override name = '015-share-expiry'

  override up(): void {
    this.addSql('alter table shares add expires_at timestamptz')
    this.addSql(`create index shares_by_expiry on shares (expires_at)
      where expires_at is not null`)
    // With the time in these indexes, checks and lists still need not read the rows themselves.
    this.replaceIndex(
      'shares_of_resource',
      `create index new_shares_of_resource
        on shares (kind_id, resource_id, group_id, user_id) include (permission, expires_at)`,
    )
    this.replaceIndex(
      'shares_of_user',
      `create unique index new_shares_of_user
        on shares (user_id, workspace_id, kind_id, resource_id) include (permission, expires_at)
        where user_id is not null`,
    )
    this.replaceIndex(
      'shares_of_group',
      `create unique index new_shares_of_group
        on shares (group_id, workspace_id, kind_id, resource_id) include (permission, expires_at)
        where group_id is not null`,
    )
    this.replaceIndex(
      'parent_shares_of_user',
      `create index new_parent_shares_of_user
        on shares (user_id, workspace_id, kind_id, resource_id) include (permission, expires_at)
        where on_parent and user_id is not null`,
    )
    this.replaceIndex(
      'parent_shares_of_group',
      `create index new_parent_shares_of_group
        on shares (group_id, workspace_id, kind_id, resource_id) include (permission, expires_at)
        where on_parent and group_id is not null`,
    )
  }

  private replaceIndex(name: string, createSql: string): void {
    this.addSql(createSql)
    this.addSql(`drop index ${name}`)
    this.addSql(`alter index new_${name} rename to ${name}`)
  }
}
