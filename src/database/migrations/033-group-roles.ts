import { Migration } from '@mikro-orm/migrations'

/**
 * Adds the groups that have custom roles. Nodes of the previous version ignore them: they allow less
 * than nodes of this version, never more.
 */
export class GroupRoles extends Migration {
  override name = '033-group-roles'

  override up(): void {
    this.addSql(`
      create table custom_role_groups (
        role_id uuid not null,
        group_id uuid not null,
        workspace_id uuid not null,
        added_at timestamptz not null default now(),
        primary key (role_id, group_id),
        foreign key (role_id, workspace_id) references custom_roles (id, workspace_id)
          on delete cascade,
        foreign key (group_id, workspace_id) references groups (id, workspace_id) on delete cascade
      )`)
    this.addSql('create index on custom_role_groups (workspace_id, role_id, group_id)')
    this.addSql('create index on custom_role_groups (group_id)')
    // A group may have many members, so a change affects the whole workspace (migration 024).
    this.addSql(`
      create function record_custom_role_group_changes() returns trigger language plpgsql as $$
      begin
        insert into access_changes (workspace_id) select distinct workspace_id from changed;
        return null;
      end $$`)
    for (const [operation, rows] of [
      ['insert', 'new table as changed'],
      ['update', 'new table as changed'],
      ['delete', 'old table as changed'],
    ]) {
      this.addSql(`create trigger record_access_${operation} after ${operation} on custom_role_groups
        referencing ${rows} for each statement execute function record_custom_role_group_changes()`)
    }
    this.addSql(`create trigger record_truncation after truncate on custom_role_groups
      for each statement execute function record_truncation()`)
  }
}
