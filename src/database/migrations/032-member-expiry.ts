import { Migration } from '@mikro-orm/migrations'

/**
 * Adds the end of memberships. Everything that decides or lists reads `live_members`, so that a
 * membership has ended for all of it at the same instant, whether or not its row has been deleted.
 * Nodes of the previous version ignore the end: for them, the membership remains effective until a
 * node of this version deletes it.
 */
export class MemberExpiry extends Migration {
  override name = '032-member-expiry'

  override up(): void {
    this.addSql('alter table members add expires_at timestamptz')
    this.addSql(`create index members_by_expiry on members (expires_at)
      where expires_at is not null`)
    // Compares with the start of the statement, because the transaction may have waited for a lock
    // since it began.
    this.addSql(`
      create view live_members as
      select user_id, workspace_id, role, joined_at, invited_by, created_at, expires_at
      from members
      where expires_at is null or expires_at > statement_timestamp()`)
    this.addSql(`
      create view ending_members as
      select user_id, workspace_id, expires_at from members where expires_at is not null`)
  }
}
