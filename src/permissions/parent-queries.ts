import { grantsOf, maxChainLength } from './grants-query.ts'

/*
 * The resources of a workspace form trees. An exclusive advisory lock on all trees of a workspace
 * serializes moves, because two moves that are valid by themselves could together create a cycle or
 * a chain that is too long. Registrations below a parent take the lock in shared mode. Deleting a
 * tree can take seconds, so it locks only the rows of the tree. Readers take no lock.
 */

/** $1 workspace ID. Locks the trees of the workspace until the end of the transaction. */
export const lockTreesSql = `select pg_advisory_xact_lock(${treeLockKey('$1::uuid')})`

/** $1 workspace IDs. Prevents moves in the workspaces until the end of the transaction. */
export const shareTreesSql = `
  select pg_advisory_xact_lock_shared(${treeLockKey('id')})
  from (select id from unnest($1::uuid[]) id order by id) workspace`

/**
 * $1 items with `index`, `service_name`, `resource_type`, `resource_id` and `workspace_id`. Returns
 * a ParentRow for each one that exists in the workspace.
 */
export const parentsSql = `
  select item.index, r.id, r.resource_id, k.resource_type, r.is_parent, (
    with recursive ${above('r.id')}
    select max(length) from above
  ) as length
  from json_to_recordset($1::json) as item (
    index int, service_name text, resource_type text, resource_id uuid, workspace_id uuid)
  join resource_kinds k using (service_name, resource_type)
  join resources r on r.kind_id = k.id and r.resource_id = item.resource_id
    and r.workspace_id = item.workspace_id`

/** $1 ID. Returns a Place. */
export const placeSql = `
  select r.parent_id, r.inherits, pk.resource_type as parent_type, p.resource_id as parent_resource_id
  from resources r
  left join resources p on p.id = r.parent_id left join resource_kinds pk on pk.id = p.kind_id
  where r.id = $1`

/**
 * $1 ID of the moved resource, $2 ID of its new parent. Returns `is_cycle`, whether the parent is
 * the resource itself or below it, and `length`, the length of the longest chain after the move,
 * which is meaningless for a cycle.
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

/** $1 ID, $2 ID of the parent or null, $3 whether the resource inherits. Returns the ID. */
export const updateParentSql =
  'update resources set parent_id = $2, inherits = $3 where id = $1 returning id'

/** $1 IDs. Waits for uncommitted shares of the resources, and makes later ones wait. */
export const lockNewParentsSql = `
  select from resources where id = any($1::uuid[]) order by id for update`

/**
 * $1 IDs of resources that `lockNewParentsSql` has locked. Sets the flags of the resources and of
 * their shares by which lists find parents.
 */
export const markParentsSql = `
  with marked as (
    update resources set is_parent = true where id = any($1::uuid[])
    returning kind_id, resource_id
  )
  update shares s set on_parent = true from marked m
  where s.kind_id = m.kind_id and s.resource_id = m.resource_id and not s.on_parent`

/**
 * The maximum number of resources that one statement deletes or detaches, so that it does not reach
 * its timeout.
 */
export const maxRowsPerStatement = 2000

/**
 * $1 ID. Locks a resource and everything below it against moves and new children, and returns the
 * `ids`, the deepest first. The statement does not see children that were added while it waited for
 * locks. Repeat it until it returns the same IDs twice: then the whole tree is locked.
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

/** $1 IDs. Deletes resources and their shares, and returns the number of each. */
export const deleteResourcesSql = `
  with deleted as (
    delete from resources where id = any($1::uuid[]) returning kind_id, resource_id
  )
  select (select count(*) from deleted)::int as resources,
    (select count(*) from shares join deleted using (kind_id, resource_id))::int as shares`

/** $1 ID. Detaches up to `maxRowsPerStatement` children of a resource and returns their IDs. */
export const detachChildrenSql = `
  update resources set parent_id = null where id in (
    select id from resources where parent_id = $1 order by id limit ${maxRowsPerStatement} for update
  )
  returning id`

/** $1 user ID, $2 workspace ID, $3 ID of a resource. Returns the `grants` of the user as bits. */
export const userGrantsSql = `
  select ${grantsOf.walked('probed')} as grants
  from (select $1::uuid as user_id, $2::uuid as workspace_id) q, resources r
  where r.id = $3`

function treeLockKey(workspaceId: string): string {
  return `hashtextextended('daikon resource trees ' || ${workspaceId}, 0)`
}

/** Returns the CTE `above`: the chain from a resource to its root, with the length up to each. */
function above(id: string): string {
  return `above as (
    select id, parent_id, 1 as length from resources where id = ${id}
    union all
    select r.id, r.parent_id, above.length + 1
    from above join resources r on r.id = above.parent_id
    where above.length < ${maxChainLength}
  )`
}
