import { Migration } from '@mikro-orm/migrations'

/** Finds the few members of a large workspace who are more than viewers. */
export class MemberRoles extends Migration {
  override name = '022-member-roles'

  override up(): void {
    this.addSql(`create index on members (workspace_id, role, user_id) where role <> 'viewer'`)
  }
}
