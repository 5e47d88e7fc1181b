import { grantsOf, maxChainLength } from './grants-query.ts'

/*
 * The resources of a workspace form trees. A lock on all of them serializes moves, so that no cycle and
 * no chain that is too long can result from two moves that are valid by themselves. Registering below a
 * parent shares the lock. Deleting a tree locks the rows of the tree alone, because it can take seconds.
 * Readers take no lock.
 */

/** $1 workspace id. Waits until no other transaction has a lock on the trees of the workspace. */
export const lockTreesSql = `select pg_advisory_xact_lock(${treeLockKey('$1::uuid')})`

/** $1 workspace ids. Waits until no transaction moves a resource of the workspaces. */
export const shareTreesSql = `
  select pg_advisory_xact_lock_shared(${treeLockKey('id')})
  from (select id from unnest($1::uuid[]) id order by id) workspace`

/**
 * $1 items with `place`, `service_name`, `resource_type`, `resource_id` and `workspace_id`. Returns a
 * ParentRow for each that exists in the workspace. `length` counts the resources from the root to it.
 */
export const parentsSql = `
  select item.place, r.id, r.resource_id, k.resource_type, r.is_parent, (
    with recursive ${above('r.id')}
    select max(length) from above
  ) as length
  from json_to_recordset($1::json) as item (
    place int, service_name text, resource_type text, resource_id uuid, workspace_id uuid)
  join resource_kinds k using (service_name, resource_type)
  join resources r on r.kind_id = k.id and r.resource_id = item.resource_id
    and r.workspace_id = item.workspace_id`

/** $1 id. Returns `parent_id`, `inherits` and the `parent` by type and id. */
export const placeSql = `
  select r.parent_id, r.inherits, pk.resource_type as parent_type, p.resource_id as parent_resource_id
  from resources r
  left join resources p on p.id = r.parent_id left join resource_kinds pk on pk.id = p.kind_id
  where r.id = $1`

/**
 * $1 id of the moved resource, $2 id of its new parent. Returns `is_cycle`, whether the parent is the
 * resource or below it, and otherwise the `length` of the longest chain that would result.
 */
export const movedChainSql = `
  with recursive ${above('$2')}, below as (
    select id, 1 as height from resources where id = $1
    union all
    select r.id, below.height + 1
    from below join resources r on r.parent_id = below.id and r.is_parent
    where below.height < ${maxChainLength}
  )
  select exists (select from above where id = $1) as is_cycle,
    (select max(length) from above) + (
      select max(height + case when exists (
        select from resources r where r.parent_id = below.id
      ) then 1 else 0 end) from below
    ) as length`

/** $1 id, $2 id of the parent or null, $3 whether the grants of the parent apply. Returns the id. */
export const updateParentSql =
  'update resources set parent_id = $2, inherits = $3 where id = $1 returning id'

/** $1 ids. Waits for shares of the resources that are not committed, and makes later ones wait. */
export const lockNewParentsSql = `
  select from resources where id = any($1::uuid[]) order by id for update`

/** $1 ids of resources that are locked by `lockNewParentsSql`. Lists find parents by these flags. */
export const markParentsSql = `
  with marked as (
    update resources set is_parent = true where id = any($1::uuid[])
    returning kind_id, resource_id
  )
  update shares s set on_parent = true from marked m
  where s.kind_id = m.kind_id and s.resource_id = m.resource_id and not s.on_parent`

/** The most rows that one statement deletes or detaches, so that it ends before its time limit. */
export const maxRowsPerStatement = 2000

/**
 * $1 id. Locks a resource and everything below it, against moves and new children, and returns the `ids`,
 * the deepest first. The statement does not see children that were added while it waited for locks: if
 * it returns the same ids twice, everything is locked.
 */
export const lockTreeSql = `
  with recursive tree as (
    select id, 1 as depth from resources where id = $1
    union all
    select r.id, tree.depth + 1 from tree join resources r on r.parent_id = tree.id
  ), locked as (
    select id from resources where id in (select id from tree) order by id for update
  )
  select string_agg(id::text, ',' order by depth desc, id) as ids from tree join locked using (id)`

/** $1 ids. Deletes resources and their shares, and returns the number of each. */
export const deleteResourcesSql = `
  with deleted as (
    delete from resources where id = any($1::uuid[]) returning kind_id, resource_id
  )
  select (select count(*) from deleted)::int as resources,
    (select count(*) from shares join deleted using (kind_id, resource_id))::int as shares`

/** $1 id. Removes the parent of some children of a resource, and returns them. */
export const detachChildrenSql = `
  update resources set parent_id = null where id in (
    select id from resources where parent_id = $1 order by id limit ${maxRowsPerStatement} for update
  )
  returning id`

/** $1 user id, $2 workspace id, $3 id of a resource. Returns the `grants` of the user as bits. */
export const userGrantsSql = `
  select ${grantsOf.walked('probed')} as grants
  from (select $1::uuid as user_id, $2::uuid as workspace_id) q, resources r
  where r.id = $3`

function treeLockKey(workspaceId: string): string {
  return `hashtextextended('daikon resource trees ' || ${workspaceId}, 0)`
}

/** The chain from a resource up, with its length so far. A chain is never longer than the limit. */
function above(id: string): string {
  return `above as (
    select id, parent_id, 1 as length from resources where id = ${id}
    union all
    select r.id, r.parent_id, above.length + 1
    from above join resources r on r.id = above.parent_id
    where above.length < ${maxChainLength}
  )`
}
