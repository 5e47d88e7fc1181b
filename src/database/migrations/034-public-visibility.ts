import { Migration } from '@mikro-orm/migrations'

/**
 * Adds the visibility `public`, for types whose declaration allows it. Nodes of the previous version
 * take a public resource for a private one.
 */
export class PublicVisibility extends Migration {
  override name = '034-public-visibility'

  override up(): void {
    this.addSql('alter table resource_types add allow_public boolean not null default false')
    // Resources that inherit from public ones depend on the declaration of their own type.
    this.addSql(`
      create function record_resource_type_changes() returns trigger language plpgsql as $$
      begin
        insert into access_changes (workspace_id, item_id)
        select null, null where exists (select from changed where allow_public);
        return null;
      end $$`)
    this.addSql(`
      create function record_changed_resource_types() returns trigger language plpgsql as $$
      begin
        insert into access_changes (workspace_id, item_id)
        select null, null where exists (
          select from before left join changed using (kind_id)
          where before.allow_public is distinct from changed.allow_public);
        return null;
      end $$`)
    for (const [operation, rows, recorder] of [
      ['insert', 'new table as changed', 'record_resource_type_changes'],
      ['delete', 'old table as changed', 'record_resource_type_changes'],
      ['update', 'old table as before new table as changed', 'record_changed_resource_types'],
    ]) {
      this.addSql(`create trigger record_access_${operation} after ${operation} on resource_types
        referencing ${rows} for each statement execute function ${recorder}()`)
    }
    this.addSql(`create trigger record_truncation after truncate on resource_types
      for each statement execute function record_truncation()`)

    // Every row satisfies the previous constraint, so the new one need not be validated.
    this.addSql('alter table resources drop constraint resources_visibility_check')
    this.addSql(`alter table resources add constraint resources_visibility_check
      check (visibility in ('private', 'workspace', 'public')) not valid`)
    this.addSql(`create index public_resources on resources (kind_id, workspace_id, resource_id)
      where visibility = 'public'`)
    this.addSql(`create index public_parents_of_workspace on resources (workspace_id, kind_id, id)
      where is_parent and visibility = 'public'`)
  }
}
