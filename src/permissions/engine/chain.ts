/** The maximum number of resources from a root to any resource below it, including both. */
export const maxChainLength = 32

/**
 * Returns the recursive CTE `chain`: the resource `r` and the ancestors that it inherits from.
 * `depth` is 1 for the resource itself. `start` is a FROM clause with `r`, or only a WHERE clause
 * if an outer query defines `r`.
 */
export function chainCte(start: string): string {
  const columns = (alias: string) => `${alias}.id, ${alias}.workspace_id, ${ancestorColumns(alias)}`
  return `chain as (
    select ${columns('r')}, 1 as depth ${start}
    union all
    select ${columns('a')}, chain.depth + 1
    from chain join resources a on a.id = chain.parent_id
    where chain.inherits and chain.depth < ${maxChainLength}
  )`
}

/** Returns the columns of `resources` that grants depend on. */
export function ancestorColumns(alias: string): string {
  const columns = ['kind_id', 'resource_id', 'owner_id', 'visibility', 'parent_id', 'inherits']
  return columns.map((column) => `${alias}.${column}`).join(', ')
}

/**
 * How a statement treats a resource that inherits or may be public: `ownGrants` only sets the bit
 * `inherited`, which costs other resources nothing; `withAncestors` also adds the grants of its ancestors
 * and decides what is public.
 */
export type Ancestry = 'ownGrants' | 'withAncestors'

/** Returns the SQL condition that a resource, or one that it inherits from, has one of the IDs of an array. */
export function inheritsFromAny(id: string, ids: string): string {
  return `exists (
          with recursive chain as (
            select a.id, a.parent_id, a.inherits, 1 as depth
            from resources a where a.id = ${id}
            union all
            select a.id, a.parent_id, a.inherits, chain.depth + 1
            from chain join resources a on a.id = chain.parent_id
            where chain.inherits and chain.depth < ${maxChainLength - 1}
          )
          select from chain where id = any(${ids})
        )`
}
