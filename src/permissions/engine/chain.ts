/** The maximum number of resources from a root to any resource below it, including both. */
export const maxChainLength = 32

/**
 * Returns the recursive CTE `chain`: the resource `r` and the ancestors that it inherits from.
 * `depth` is 1 for the resource itself. `start` is a FROM clause with `r`, or only a WHERE clause
 * if an outer query defines `r`.
 */
export function chainCte(start: string): string {
  const columns = (alias: string) =>
    selectColumns(alias, ['id', 'workspace_id', ...grantColumns, 'parent_id', 'inherits'])
  return `chain as (
    select ${columns('r')}, 1 as depth ${start}
    union all
    select ${columns('a')}, chain.depth + 1
    from chain join resources a on a.id = chain.parent_id
    where chain.inherits and chain.depth < ${maxChainLength}
  )`
}

/**
 * Returns the recursive CTE `chain`, with columns of `resources`: the parent of a resource, which the
 * condition `start` on `a` finds, and those that it inherits from. `depth` is 1 for the parent.
 */
export function ancestorCte(start: string, columns: readonly string[]): string {
  const selected = selectColumns('a', [...columns, 'parent_id', 'inherits'])
  return `chain as (
            select ${selected}, 1 as depth from resources a where ${start}
            union all
            select ${selected}, chain.depth + 1
            from chain join resources a on a.id = chain.parent_id
            where chain.inherits and chain.depth < ${maxChainLength - 1}
          )`
}

/** The columns of `resources` that grants depend on, beside those that lead to the parent. */
export const grantColumns = ['kind_id', 'resource_id', 'owner_id', 'visibility']

function selectColumns(alias: string, columns: readonly string[]): string {
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
          with recursive ${ancestorCte(`a.id = ${id}`, ['id'])}
          select from chain where id = any(${ids})
        )`
}
