import { Migration } from '@mikro-orm/migrations'

/**
 * Adds parents of resources. Only the parent's id is stored, so that moving a resource changes one
 * row, however many resources are below it.
 */
export class ResourceParents extends Migration {
  override name = '010-resource-parents'

  override up(): void {
    this.addSql(`
      alter table resources
        add parent_id uuid references resources on delete set null,
        add inherits boolean not null default true,
        -- Set when the first child is added, and never reset.
        add is_parent boolean not null default false`)
    // For lists: the children of a parent or of a workspace by id, and those children that are
    // parents.
    this.addSql(`create index resources_of_parent on resources (parent_id, kind_id, resource_id)
      include (inherits) where parent_id is not null`)
    this.addSql(`create index children_of_workspace
      on resources (workspace_id, kind_id, resource_id) include (parent_id)
      where inherits and parent_id is not null`)
    this.addSql(`create index parents_of_parent on resources (parent_id, id)
      include (inherits) where is_parent and parent_id is not null`)
    this.addSql(`create index parents_of_owner on resources (owner_id, workspace_id, kind_id, id)
      where is_parent`)
    this.addSql(`create index parents_of_workspace on resources (workspace_id, kind_id, id)
      where is_parent`)
    this.addSql(`create index open_parents_of_workspace on resources (workspace_id, kind_id, id)
      where is_parent and visibility = 'workspace'`)

    // Finds the parents that are shared with a user among any number of shares.
    this.addSql('alter table shares add on_parent boolean not null default false')
    this.addSql(`create index parent_shares_of_user
      on shares (user_id, workspace_id, kind_id, resource_id) include (permission)
      where on_parent and user_id is not null`)
    this.addSql(`create index parent_shares_of_group
      on shares (group_id, workspace_id, kind_id, resource_id) include (permission)
      where on_parent and group_id is not null`)
    // This is a trigger because nodes of the previous version also insert shares. Its lock waits
    // for a transaction that makes the resource a parent, because that transaction cannot see an
    // uncommitted share.
    this.addSql(`
      create function set_on_parent() returns trigger language plpgsql as $$
      begin
        select is_parent into new.on_parent from resources
          where kind_id = new.kind_id and resource_id = new.resource_id for key share;
        new.on_parent := coalesce(new.on_parent, false);
        return new;
      end $$`)
    this.addSql(`create trigger set_on_parent before insert on shares
      for each row execute function set_on_parent()`)
  }
}
