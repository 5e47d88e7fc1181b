import { Migration } from '@mikro-orm/migrations'

/**
 * Adds the expiry of shares. Nodes of the previous version ignore it: for them, an expired share
 * remains effective until a node of this version deletes it.
 */
export class ShareExpiry extends Migration {
  override name = '015-share-expiry'

  override up(): void {
    this.addSql('alter table shares add expires_at timestamptz')
    this.addSql(`create index shares_by_expiry on shares (expires_at)
      where expires_at is not null`)
    // Including the expiry in these indexes keeps index-only scans possible for checks and lists.
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
