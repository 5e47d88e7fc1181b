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
    this.addSql(`
      create or replace view live_members as
      select user_id, workspace_id, role, joined_at, invited_by, created_at, expires_at,
        support_reason, is_guest
      from members
      where (expires_at is null or expires_at > statement_timestamp())
        and not exists (
          select from deleted_workspaces d where d.id = members.workspace_id offset 0
        )`)
    this.addSql(`
      do $$ begin
        execute 'create or replace view newer_facts as '
          || rtrim(pg_get_viewdef('newer_facts'::regclass), ';')
          || ' union all select 83 as migration, ''guests'' as fact
               where exists (select from members where is_guest)';
      end $$`)
  }
}
