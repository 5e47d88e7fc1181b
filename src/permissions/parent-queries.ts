import { grantsOf, maxChainLength } from './grants-query.ts'

/*
 * The resources of a workspace form trees. A lock on all of them serializes moves, so that no cycle and
 * no chain that is too long can result from two moves that are valid by themselves. Registering below a
 * parent shares the lock. Readers take no lock.
 */

const treeLockKey = `hashtextextended('daikon resource trees ' || $1::uuid, 0)`

/** $1 workspace id. Waits until no other transaction has a lock on the trees of the workspace. */
export const lockTreesSql = `select pg_advisory_xact_lock(${treeLockKey})`

/** $1 workspace id. Waits until no transaction moves a resource of the workspace. */
export const shareTreesSql = `select pg_advisory_xact_lock_shared(${treeLockKey})`

/** $1 service name, $2 resource type, $3 resource id, $4 workspace id. Returns a ParentRow. */
export const parentSql = `
  select r.id, r.kind_id, r.resource_id, k.resource_type, r.is_parent
  from resource_kinds k join resources r on r.kind_id = k.id
  where k.service_name = $1 and k.resource_type = $2 and r.resource_id = $3 and r.workspace_id = $4`

/** $1 id. Returns `parent_id`, `inherits` and the `parent` by type and id. */
export const placeSql = `
  select r.parent_id, r.inherits, pk.resource_type as parent_type, p.resource_id as parent_resource_id
  from resources r
  left join resources p on p.id = r.parent_id left join resource_kinds pk on pk.id = p.kind_id
  where r.id = $1`

/** $1 id. Returns the `length` of the chain from the root to the resource. */
export const chainLengthSql = `
  with recursive ${above('$1')}
  select max(length) as length from above`

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

/** $1 id, $2 id of the parent or null, $3 whether the grants of the parent apply. */
export const updateParentSql = 'update resources set parent_id = $2, inherits = $3 where id = $1'

/** $1 id. Waits for shares of the resource that are not committed, and makes later ones wait. */
export const lockNewParentSql = 'select from resources where id = $1 for update'

/** $1 id of a resource that is locked by `lockNewParentSql`. Lists find parents by these flags. */
export const markParentSql = `
  with marked as (
    update resources set is_parent = true where id = $1 returning kind_id, resource_id
  )
  update shares s set on_parent = true from marked m
  where s.kind_id = m.kind_id and s.resource_id = m.resource_id and not s.on_parent`

/**
 * $1 id, $2 service name, $3 resource type, $4 resource id, $5 workspace id, $6 owner id, $7 visibility,
 * $8 id of the parent, $9 external id. Returns the new row; none if the resource exists, its kind does not, or its owner
 * is not a member of the workspace.
 */
export const registerChildSql = `
  insert into resources
    (id, kind_id, resource_id, workspace_id, owner_id, visibility, parent_id, external_id)
  select $1, k.id, $4, m.workspace_id, m.user_id, $7, $8, $9
  from resource_kinds k, members m
  where k.service_name = $2 and k.resource_type = $3 and m.workspace_id = $5 and m.user_id = $6
  on conflict (kind_id, resource_id) do nothing
  returning *`

/** $1 id. Deletes a resource, everything below it and the shares. Returns the number of each. */
export const deleteTreeSql = `
  with recursive tree as (
    select id, kind_id, resource_id from resources where id = $1
    union all
    select r.id, r.kind_id, r.resource_id from tree join resources r on r.parent_id = tree.id
  ), deleted as (
    delete from resources where id in (select id from tree) returning id
  )
  select (select count(*) from deleted)::int as resources,
    (select count(*) from shares join tree using (kind_id, resource_id))::int as shares`

/** $1 user id, $2 workspace id, $3 id of a resource. Returns the `grants` of the user as bits. */
export const userGrantsSql = `
  select ${grantsOf.walked('probed')} as grants
  from (select $1::uuid as user_id, $2::uuid as workspace_id) q, resources r
  where r.id = $3`

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
