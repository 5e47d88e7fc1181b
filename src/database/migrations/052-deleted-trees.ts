import { Migration } from '@mikro-orm/migrations'

/**
 * Separates the deletion of a large tree of resources from the deletion of its rows: only the root
 * is recorded, and everything below it is deleted in steps (`database/sweep-deleted.ts`). Nodes of
 * the previous version ignore the record: for them, the tree exists until it has been swept.
 */
export class DeletedTrees extends Migration {
  override name = '052-deleted-trees'

  override up(): void {
    this.addSql(`
      create table deleted_trees (
        id uuid primary key references resources on delete cascade,
        deleted_at timestamptz not null default now()
      )`)
    this.addSql(`
      create function record_deleted_tree_changes() returns trigger language plpgsql as $$
      begin
        insert into access_changes (workspace_id)
        select distinct workspace_id from resources where id in (select id from changed);
        return null;
      end $$`)
    this.addSql(`create trigger record_access_insert after insert on deleted_trees
      referencing new table as changed
      for each statement execute function record_deleted_tree_changes()`)
    this.addSql(`
      create function is_in_deleted_tree(kind int, resource uuid)
      returns boolean language sql stable as $$
        with recursive chain as (
          select id, parent_id from resources where kind_id = kind and resource_id = resource
          union all
          select above.id, above.parent_id from chain cross join lateral (
            select id, parent_id from resources where id = chain.parent_id offset 0
          ) above
        )
        select exists (select from chain where id in (select id from deleted_trees))
      $$`)
    // Deletes leaves first: without a parent, a child would be a root and exist again. Shares are
    // deleted separately, because a resource can have many.
    this.addSql(`
      create function sweep_resources(ids uuid[], max_shares int)
      returns int language plpgsql volatile as $$
      declare
        changed int;
      begin
        delete from shares where id = any(array(
          select s.id from resources r join shares s using (kind_id, resource_id)
          where r.id = any(ids) limit max_shares));
        get diagnostics changed = row_count;
        if changed = max_shares then return changed; end if;
        delete from resources where id = any(ids);
        return changed + cardinality(ids);
      end $$`)
    this.addSql(`
      create function sweep_tree(root uuid, max_rows int, max_shares int)
      returns int language plpgsql volatile as $$
      declare
        node uuid;
        child uuid;
        leaves uuid[];
        total int := 0;
      begin
        while total < max_rows loop
          node := root;
          loop
            select id into child from resources
              where parent_id = node and is_parent order by id limit 1;
            exit when child is null;
            node := child;
          end loop;
          leaves := array(select id from resources where parent_id = node limit max_rows);
          if leaves = '{}' then
            total := total + sweep_resources(array[node], max_shares);
            exit when node = root;
          else
            total := total + sweep_resources(leaves, max_shares);
          end if;
        end loop;
        return total;
      end $$`)
  }
}
