import { Migration } from '@mikro-orm/migrations'

/**
 * Adds guests: members to whom visibility `workspace` is nothing. Nodes of the previous version ignore
 * the column, so making a guest is refused while one is connected.
 *
 * The record of a changed membership (migration 074) covers the column.
 */
export class Guests extends Migration {
  override name = '083-guests'

  override up(): void {
    this.addSql('alter table members add column is_guest boolean not null default false')
    // Not valid, because no existing row has to be read.
    this.addSql(`alter table members add constraint guests_are_viewers
      check (not is_guest or role = 'viewer') not valid`)
    this.addSql(`
      create or replace view live_members as
      select user_id, workspace_id, role, joined_at, invited_by, created_at, expires_at,
        support_reason, is_guest
      from members
      where (expires_at is null or expires_at > statement_timestamp())
        and not exists (
          select from deleted_workspaces d where d.id = members.workspace_id offset 0
        )`)
    // A group may do what each of its effective members may do at least: see subjects/group.ts.
    this.addSql(`
      create view groups_with_guests as
      select g.group_id
      from group_members g
      join live_members m on m.user_id = g.user_id and m.workspace_id = g.workspace_id and m.is_guest
      join users u on u.id = g.user_id and u.is_active`)
    this.addSql(`
      do $$ begin
        execute 'create or replace view newer_facts as '
          || rtrim(pg_get_viewdef('newer_facts'::regclass), ';')
          || ' union all select 83 as migration, ''guests'' as fact
               where exists (select from members where is_guest)
             union all select 83 as migration, ''mappings that give guests'' as fact
               where exists (select from connections where mapping @? ''$.roles.* ? (@ == "guest")'')
             union all select 83 as migration, ''conditions about guests'' as fact
               where exists (select from resource_conditions where expression ~ ''subject\\W*guest'')';
      end $$`)
  }
}
