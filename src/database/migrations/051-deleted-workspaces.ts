import { Migration } from '@mikro-orm/migrations'

/** The tables whose rows remain until a deleted workspace has been swept. */
const swept = ['members', 'groups', 'custom_roles', 'resources', 'workspace_counts', 'users']

/**
 * Separates the deletion of a workspace from the deletion of its rows, which can be millions. The
 * row in `workspaces` disappears at once, which frees the slug; the others refer to `workspace_ids`
 * and are deleted in steps (`database/sweep-deleted.ts`). Triggers keep both tables in step, so that
 * nodes of the previous version also delete this way.
 */
export class DeletedWorkspaces extends Migration {
  override name = '051-deleted-workspaces'

  override up(): void {
    this.addSql('create table workspace_ids (id uuid primary key)')
    this.addSql('insert into workspace_ids select id from workspaces')
    // The workspaces whose rows have not been deleted yet. Usually empty, so that a condition on it
    // costs one page.
    this.addSql(`
      create table deleted_workspaces (
        id uuid primary key references workspace_ids on delete cascade,
        deleted_at timestamptz not null default now()
      )`)
    this.addSql(`
      create function add_workspace_id() returns trigger language plpgsql as $$
      begin
        -- Rows of a deleted workspace must not appear in a new one.
        if exists (select from deleted_workspaces where id = new.id) then
          raise unique_violation using message = 'the workspace ' || new.id || ' is being deleted';
        end if;
        insert into workspace_ids (id) values (new.id) on conflict do nothing;
        return new;
      end $$`)
    this.addSql(`create trigger add_workspace_id before insert on workspaces
      for each row execute function add_workspace_id()`)
    this.addSql(`
      create function record_deleted_workspaces() returns trigger language plpgsql as $$
      begin
        insert into deleted_workspaces (id) select id from deleted;
        return null;
      end $$`)
    this.addSql(`create trigger record_deleted_workspaces after delete on workspaces
      referencing old table as deleted
      for each statement execute function record_deleted_workspaces()`)
    this.addSql(`
      create function record_deleted_workspace_changes() returns trigger language plpgsql as $$
      begin
        insert into access_changes (workspace_id) select id from changed;
        return null;
      end $$`)
    this.addSql(`create trigger record_access_insert after insert on deleted_workspaces
      referencing new table as changed
      for each statement execute function record_deleted_workspace_changes()`)
    for (const table of swept) {
      this.addSql(`alter table ${table} drop constraint ${table}_workspace_id_fkey`)
      // Every row satisfies the previous constraint, so the new one need not be validated.
      this.addSql(`alter table ${table} add constraint ${table}_workspace_id_fkey
        foreign key (workspace_id) references workspace_ids on delete cascade not valid`)
    }
    this.addSql(`
      create function sweep_members(workspace uuid, max_rows int)
      returns int language plpgsql volatile as $$
      declare
        deleted int;
      begin
        delete from members where workspace_id = workspace and user_id = any(array(
          select user_id from members where workspace_id = workspace limit max_rows));
        get diagnostics deleted = row_count;
        return deleted;
      end $$`)
    this.addSql(`
      create or replace view service_accounts as
      select u.id, u.workspace_id, u.name, m.role, u.is_active, m.expires_at, u.created_at
      from users u join members m on m.user_id = u.id and m.workspace_id = u.workspace_id
      where not exists (
        select from deleted_workspaces d where d.id = u.workspace_id offset 0
      )`)
    this.addSql(`
      create or replace view live_members as
      select user_id, workspace_id, role, joined_at, invited_by, created_at, expires_at
      from members
      where (expires_at is null or expires_at > statement_timestamp())
        and not exists (
          select from deleted_workspaces d where d.id = members.workspace_id offset 0
        )`)
  }
}
