import { Migration } from '@mikro-orm/migrations'

/**
 * Also records changes of the e-mail addresses and external IDs of users: services name users by
 * them, and conditions read them. A node can then cache whom a name means (migration 024).
 */
export class ChangedNames extends Migration {
  override name = '071-changed-names'

  override up(): void {
    this.addSql(`
      create or replace function record_user_changes() returns trigger language plpgsql as $$
      begin
        insert into access_changes (workspace_id, item_id)
        select null::uuid, before.id from before left join changed using (id)
          where (before.is_active, before.is_admin, before.email, before.external_id)
            is distinct from
            (changed.is_active, changed.is_admin, changed.email, changed.external_id);
        return null;
      end $$`)
  }
}
