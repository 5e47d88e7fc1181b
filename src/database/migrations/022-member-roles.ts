import { Migration } from '@mikro-orm/migrations'

/** Creates an index that finds the few members of a large workspace whose role is above viewer. */
export class MemberRoles extends Migration {
  override name = '022-member-roles'

  override up(): void {
    this.addSql(`create index on members (workspace_id, role, user_id) where role <> 'viewer'`)
  }
}
