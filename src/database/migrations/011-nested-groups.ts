import { Migration } from '@mikro-orm/migrations'

/**
 * Adds groups that contain groups. `group_parents` lists the children of each group.
 * `group_members` also contains the members of all descendants of a group, with `is_direct` false,
 * so that decisions require no recursion.
 */
export class NestedGroups extends Migration {
  override name = '011-nested-groups'

  override up(): void {
    // Nodes of the previous version add only direct members, which is the default.
    this.addSql('alter table group_members add column is_direct boolean not null default true')
    this.addSql(`
      create table group_parents (
        parent_id uuid not null,
        child_id uuid not null,
        workspace_id uuid not null,
        primary key (parent_id, child_id),
        check (parent_id <> child_id),
        foreign key (parent_id, workspace_id) references groups (id, workspace_id) on delete cascade,
        foreign key (child_id, workspace_id) references groups (id, workspace_id) on delete cascade
      )`)
    this.addSql('create index on group_parents (child_id, parent_id)')
  }
}
