/**
 * The tables and functions of all candidates in one database, in addition to the migrated schema,
 * which contains the parent pointer. `resource_ancestors` contains only what is inherited: a
 * resource with `inherits = false`, like its descendants, has no rows for anything above it.
 */
export const schema = `
alter table resources add ancestor_ids uuid[];
create index resources_by_ancestor on resources using gin (ancestor_ids);
create table resource_ancestors (
  ancestor_id uuid not null,
  kind_id int not null,
  resource_id uuid not null,
  primary key (ancestor_id, kind_id, resource_id)
);

alter table groups add ancestor_ids uuid[];
create table group_parents (
  parent_id uuid not null,
  child_id uuid not null,
  workspace_id uuid not null,
  primary key (child_id, parent_id),
  foreign key (parent_id, workspace_id) references groups (id, workspace_id) on delete cascade,
  foreign key (child_id, workspace_id) references groups (id, workspace_id) on delete cascade
);
create index on group_parents (workspace_id);
create index on group_parents (parent_id);
create table group_ancestors (
  ancestor_id uuid not null,
  group_id uuid not null,
  primary key (ancestor_id, group_id)
);
create index on group_ancestors (group_id, ancestor_id);
create table inherited_members (
  group_id uuid not null,
  user_id uuid not null,
  workspace_id uuid not null,
  primary key (group_id, user_id)
);

-- Locks a resource and everything above it against moves; a row read under its lock has its
-- current parent.
create function lock_chain(start uuid) returns uuid[] language plpgsql as $$
declare
  chain uuid[] := '{}';
  next_id uuid := start;
begin
  while next_id is not null loop
    chain := chain || next_id;
    if cardinality(chain) > 32 then raise 'chain too long' using errcode = 'check_violation'; end if;
    select parent_id into next_id from resources where id = next_id for key share;
  end loop;
  return chain;
end $$;

-- What a resource inherits from: its ancestors up to the first that does not inherit.
create function inherited_from(start uuid) returns setof uuid language sql stable as $$
  with recursive chain(id) as (
    select parent_id from resources where id = start and inherits and parent_id is not null
    union all
    select r.parent_id from chain join resources r using (id)
    where r.inherits and r.parent_id is not null
  )
  select id from chain
$$;

-- Moves a resource with everything below it, or changes whether it inherits.
create function move_resource(moved uuid, new_parent uuid, new_inherits boolean)
returns void language plpgsql as $$
declare
  old_parent uuid;
  old_chain uuid[];
  new_chain uuid[];
  height int;
  above uuid[];
begin
  select parent_id into old_parent from resources where id = moved for update;
  old_chain := lock_chain(old_parent);
  new_chain := lock_chain(new_parent);
  if moved = any(new_chain) then raise 'cycle' using errcode = 'unique_violation'; end if;
  with recursive below(id, depth) as (
    select moved, 1
    union all
    select r.id, below.depth + 1 from below join resources r on r.parent_id = below.id and r.is_parent
  )
  select max(depth + case when r.is_parent then 1 else 0 end) into height
  from below join resources r using (id);
  if cardinality(new_chain) + height > 32 then
    raise 'chain too long' using errcode = 'check_violation';
  end if;

  above := array(select inherited_from(moved));
  delete from resource_ancestors a
  using (
    select kind_id, resource_id from resources where id = moved
    union all
    select kind_id, resource_id from resource_ancestors where ancestor_id = moved
  ) below
  where a.ancestor_id = any(above)
    and a.kind_id = below.kind_id and a.resource_id = below.resource_id;

  update resources set parent_id = new_parent, inherits = new_inherits where id = moved;
  update resources set is_parent = true where id = new_parent and not is_parent;
  update shares s set on_parent = true from resources r
    where r.id = new_parent and not s.on_parent
      and s.kind_id = r.kind_id and s.resource_id = r.resource_id;

  above := array(select inherited_from(moved));
  insert into resource_ancestors
  select ancestor_id, kind_id, resource_id
  from unnest(above) ancestor_id, (
    select kind_id, resource_id from resources where id = moved
    union all
    select kind_id, resource_id from resource_ancestors where ancestor_id = moved
  ) below
  -- In the order of the primary key, which is then filled page by page.
  order by ancestor_id, kind_id, resource_id;
end $$;

-- The rows of group_ancestors for an edge that has just been added; the workspace is locked.
create function add_group(parent uuid, child uuid, workspace uuid)
returns void language plpgsql as $$
begin
  perform from workspaces where id = workspace for no key update;
  if parent = child
    or exists (select from group_ancestors where ancestor_id = child and group_id = parent)
  then raise 'cycle' using errcode = 'unique_violation'; end if;
  insert into group_parents values (parent, child, workspace) on conflict do nothing;
  insert into group_ancestors
  select above.id, below.id
  from (select parent id union all select ancestor_id from group_ancestors where group_id = parent) above,
    (select child id union all select group_id from group_ancestors where ancestor_id = child) below
  on conflict do nothing;
end $$;
`
