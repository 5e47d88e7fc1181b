import type { EntityManager } from '@mikro-orm/postgresql'
import { lockTimedOut } from '../../database/database-errors.ts'
import { isLiveResource } from '../../database/deleted-rows.ts'
import { query } from '../../database/query.ts'
import { maxChainLength } from '../engine/chain.ts'
import { type ResourceKey, toWireKey } from './resource-sql.ts'

/** A resource that is or will become a parent. */
export type Parent = {
  index: number
  id: string
  resourceType: string
  resourceId: string
  isParent: boolean
  /** The number of resources from the root to this one, including both. */
  length: number
}

/** The position of a resource in its tree. */
export type Place = {
  parentId: string | null
  inherits: boolean
  parentType: string | null
  parentResourceId: string | null
}

/** A deleted resource, as it was, and the number of its shares. */
export type DeletedResource = { ownerId: string; visibility: string; shares: number }

/** The chain of a resource after a move. `length` is meaningless for a cycle. */
export type MovedChain = { isCycle: boolean; length: number }

/**
 * The numbers of resources and shares that were deleted, or `isLarge` if there are more than
 * `maxDeletedAtOnce` resources, whose rows are deleted later.
 */
export type DeletedTree = { resources: number; shares: number; isLarge: boolean }

/**
 * The maximum number of resources that one statement deletes or detaches, so that it does not reach
 * its timeout.
 */
const maxRowsPerStatement = 2000

/** The maximum number of resources that a call deletes. Larger trees are deleted in steps. */
export const maxDeletedAtOnce = 2000

/** The maximum number of attempts to lock a tree that is growing concurrently. */
const maxLockAttempts = 20

/**
 * The trees that the resources of a workspace form. Every method requires a transaction.
 *
 * An exclusive advisory lock on all trees of a workspace serializes moves, because two moves that
 * are valid by themselves could together create a cycle or a chain that is too long. Registrations
 * below a parent take the lock in shared mode. Deleting a tree can take seconds, so it locks only
 * the rows of the tree. Readers take no lock.
 */
export class ResourceTreeStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Locks the trees of a workspace until the end of the transaction. */
  async lock(workspaceId: string): Promise<void> {
    const sql = `select pg_advisory_xact_lock(${treeLockKey('$1::uuid')})`
    await query(this.#em, sql, [workspaceId])
  }

  /** Prevents moves in the workspaces until the end of the transaction. */
  async preventMoves(workspaceIds: string[]): Promise<void> {
    await query(this.#em, shareTreesSql, [workspaceIds])
  }

  /** Finds resources by key and workspace, for use as parents. */
  findParents(keys: (ResourceKey & { workspaceId: string; index: number })[]): Promise<Parent[]> {
    const items = keys.map(({ workspaceId, index, ...key }) => ({
      ...toWireKey(key),
      workspace_id: workspaceId,
      index,
    }))
    return query(this.#em, parentsSql, [JSON.stringify(items)])
  }

  /** Returns undefined if the resource has been unregistered. */
  async findPlace(id: string): Promise<Place | undefined> {
    const [place] = await query<Place>(this.#em, placeSql, [id])
    return place
  }

  /** Returns the longest chain of a resource that would be moved below a parent. */
  async findMovedChain(id: string, parentId: string): Promise<MovedChain | undefined> {
    const [chain] = await query<MovedChain>(this.#em, movedChainSql, [id, parentId])
    return chain
  }

  /** Returns whether the resource exists. */
  async setParent(id: string, parentId: string | null, inherits: boolean): Promise<boolean> {
    const sql = 'update resources set parent_id = $2, inherits = $3 where id = $1 returning id'
    return (await query(this.#em, sql, [id, parentId, inherits])).length > 0
  }

  /**
   * Marks resources as parents. Locks them in a separate statement, which waits for uncommitted
   * shares, so that the update sees these shares. Later ones wait for the lock.
   */
  async markParents(parents: Parent[]): Promise<void> {
    const ids = parents.filter(({ isParent }) => !isParent).map(({ id }) => id)
    if (ids.length === 0) return
    const lockSql = 'select from resources where id = any($1::uuid[]) order by id for update'
    await query(this.#em, lockSql, [ids])
    await query(this.#em, markParentsSql, [ids])
  }

  /**
   * Deletes a resource and its shares. Its children become roots. Returns undefined if the resource
   * does not exist.
   */
  async delete(id: string): Promise<DeletedResource | undefined> {
    // Detach children in batches, because the foreign key would detach all in one long statement.
    while ((await query(this.#em, detachChildrenSql, [id])).length > 0);
    const [deleted] = await query<DeletedResource>(this.#em, deleteResourceSql, [id])
    return deleted
  }

  /**
   * Deletes a resource and everything below it, with their shares. Of a large tree, only records the
   * root: from then on, the tree does not exist for any statement.
   */
  async deleteTree(id: string, workspaceId: string): Promise<DeletedTree> {
    const [tree] = await query<{ count: number }>(this.#em, countTreeSql, [id])
    if (tree && tree.count > maxDeletedAtOnce) {
      // A resource that is moved out of the tree must have left it before the tree is deleted.
      await this.preventMoves([workspaceId])
      const recorded = await query(this.#em, recordDeletedTreeSql, [id])
      return { resources: recorded.length, shares: 0, isLarge: true }
    }
    const ids = await this.#lockTree(id)
    const total = { resources: 0, shares: 0, isLarge: false }
    for (let offset = 0; offset < ids.length; offset += maxRowsPerStatement) {
      const batch = ids.slice(offset, offset + maxRowsPerStatement)
      type Row = Omit<DeletedTree, 'isLarge'>
      const [deleted] = await query<Row>(this.#em, deleteResourcesSql, [batch])
      total.resources += deleted?.resources ?? 0
      total.shares += deleted?.shares ?? 0
    }
    return total
  }

  /** Locks a resource and everything below it. Returns the IDs, the deepest first. */
  async #lockTree(id: string): Promise<string[]> {
    let previous: string | null | undefined
    for (let attempt = 0; attempt < maxLockAttempts; attempt += 1) {
      const [locked] = await query<{ ids: string | null }>(this.#em, lockTreeSql, [id])
      const ids = locked?.ids ?? null
      if (ids === previous) return ids?.split(',') ?? []
      previous = ids
    }
    throw lockTimedOut()
  }
}

/** $1 workspace IDs. */
const shareTreesSql = `
  select pg_advisory_xact_lock_shared(${treeLockKey('id')})
  from (select id from unnest($1::uuid[]) id order by id) workspace`

/**
 * $1 items with `index`, `service_name`, `resource_type`, `resource_id` and `workspace_id`. Returns
 * a Parent for each one that exists in the workspace.
 */
const parentsSql = `
  select item.index, r.id, r.resource_id as "resourceId", k.resource_type as "resourceType",
    r.is_parent as "isParent", (
      with recursive ${above('r.id')}
      select max(length) from above
    ) as length
  from json_to_recordset($1::json) as item (
    index int, service_name text, resource_type text, resource_id uuid, workspace_id uuid)
  join resource_kinds k using (service_name, resource_type)
  join resources r on r.kind_id = k.id and r.resource_id = item.resource_id
    and r.workspace_id = item.workspace_id and ${isLiveResource('r')}`

/** $1 ID. Returns a Place. */
const placeSql = `
  select r.parent_id as "parentId", r.inherits, pk.resource_type as "parentType",
    p.resource_id as "parentResourceId"
  from resources r
  left join resources p on p.id = r.parent_id left join resource_kinds pk on pk.id = p.kind_id
  where r.id = $1 and ${isLiveResource('r')}`

/** $1 ID of the moved resource, $2 ID of its new parent. Returns a MovedChain. */
const movedChainSql = `
  with recursive ${above('$2')}, below as (
    select id, 1 as height from resources where id = $1
    union all
    select r.id, below.height + 1
    from below join resources r on r.parent_id = below.id and r.is_parent
    where below.height < ${maxChainLength}
  )
  select exists (select from above where id = $1) as "isCycle",
    (select max(length) from above) + (
      select max(height + case when exists (
        select from resources r where r.parent_id = below.id
      ) then 1 else 0 end) from below
    ) as length`

/**
 * $1 IDs of locked resources. Sets the flags of the resources and of their shares by which lists
 * find parents.
 */
const markParentsSql = `
  with marked as (
    update resources set is_parent = true where id = any($1::uuid[])
    returning kind_id, resource_id
  )
  update shares s set on_parent = true from marked m
  where s.kind_id = m.kind_id and s.resource_id = m.resource_id and not s.on_parent`

/**
 * $1 ID. Locks a resource and everything below it against moves and new children, and returns the
 * `ids`, the deepest first. The statement does not see children that were added while it waited for
 * locks. Repeat it until it returns the same IDs twice: then the whole tree is locked.
 */
const lockTreeSql = `
  with recursive tree as (
    select id, 1 as depth from resources where id = $1
    union all
    select r.id, tree.depth + 1 from tree join resources r on r.parent_id = tree.id
  ), locked as (
    select id from resources where id in (select id from tree) order by id for update
  )
  select string_agg(id::text, ',' order by depth desc, id) as ids from tree join locked using (id)`

/** $1 ID. Deletes a resource and its shares. Returns a DeletedResource. */
const deleteResourceSql = `
  with deleted as (
    delete from resources where id = $1 returning kind_id, resource_id, owner_id, visibility
  )
  select owner_id as "ownerId", visibility, (
    select count(*) from shares s
    where s.kind_id = deleted.kind_id and s.resource_id = deleted.resource_id
  )::int as shares
  from deleted`

/** $1 IDs. Deletes resources and their shares. Returns a DeletedTree. */
const deleteResourcesSql = `
  with deleted as (
    delete from resources where id = any($1::uuid[]) returning kind_id, resource_id
  )
  select (select count(*) from deleted)::int as resources,
    (select count(*) from shares join deleted using (kind_id, resource_id))::int as shares`

/** $1 ID. Counts a resource and everything below it, up to one more than `maxDeletedAtOnce`. */
const countTreeSql = `
  with recursive tree as (
    select id from resources where id = $1
    union all
    select r.id from tree cross join lateral (
      select id from resources where parent_id = tree.id offset 0
    ) r
  )
  select count(*)::int as count from (select from tree limit ${maxDeletedAtOnce + 1}) counted`

/** $1 ID. Returns a row if the resource exists. */
const recordDeletedTreeSql = `
  with root as (
    select r.id from resources r where r.id = $1 and ${isLiveResource('r')} for update
  )
  insert into deleted_trees (id) select id from root on conflict do nothing returning id`

/** $1 ID. Detaches up to `maxRowsPerStatement` children of a resource and returns their IDs. */
const detachChildrenSql = `
  update resources set parent_id = null where id in (
    select id from resources where parent_id = $1 order by id limit ${maxRowsPerStatement} for update
  )
  returning id`

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
