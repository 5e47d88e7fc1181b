import { grant } from './access.ts'

/** The maximum number of resources from a root to any resource below it, including both. */
export const maxChainLength = 32

/**
 * The maximum number of groups in which the query looks up the user. If a resource is shared with
 * more groups, the query reads the groups of the user instead.
 */
const maxProbedGroups = 4

/**
 * Returns the SQL condition that the row `alias` of `shares` has not expired. Compares with the
 * start of the statement, because the transaction may have waited for a lock since it began.
 */
export function isLive(alias: string): string {
  return `(${alias}.expires_at is null or ${alias}.expires_at > statement_timestamp())`
}

/** The grant of the row `s` of `shares` as an SQL expression. */
export const shareBits = `case s.permission when 'edit' then ${grant.edit} else ${grant.view} end`

/**
 * How a query determines whether a user is a member of a group that a resource is shared with.
 */
export type GroupLookup = 'probed' | 'hashed'

const isInGroup: Record<GroupLookup, string> = {
  /** Uses one index lookup per group. `offset 0` prevents a hash join, which would read more. */
  probed: `exists (
                  select from group_members g
                  where g.group_id = s.group_id and g.user_id = q.user_id offset 0
                )`,
  /**
   * Reads and hashes all groups of the callers once, which is faster for many checks of few
   * callers.
   */
  hashed: `(q.user_id, s.group_id) in (
                  select g.user_id, g.group_id
                  from unnest($5::uuid[], $6::uuid[]) principal(user_id, workspace_id)
                  join group_members g using (user_id, workspace_id)
                )`,
}

/**
 * How a query treats a resource that inherits: `flagged` only sets the bit `inherited`; `walked`
 * also adds the grants of its ancestors.
 */
export type Ancestry = 'flagged' | 'walked'

/**
 * Return the grants of the principal `q` (`user_id`, `workspace_id`) on the row `r` of `resources`
 * as an SQL expression.
 */
export const grantsOf: Record<Ancestry, (lookup: GroupLookup) => string> = {
  flagged: (lookup) => `${ownGrants('r', lookup)}
        | case when r.parent_id is null or not r.inherits then 0 else ${grant.inherited} end`,
  walked: (lookup) => `${ownGrants('r', lookup)}
        | case when r.parent_id is null or not r.inherits then 0 else ${grant.inherited} | coalesce((
          with recursive chain as (
            select ${ancestorColumns('a')}, 1 as depth from resources a where a.id = r.parent_id
            union all
            select ${ancestorColumns('a')}, chain.depth + 1
            from chain join resources a on a.id = chain.parent_id
            where chain.inherits and chain.depth < ${maxChainLength - 1}
          )
          select bit_or(grants) from (
            select ${ownGrants('a', lookup)} as grants from chain a offset 0
          ) inherited
        ), 0) end`,
}

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

function ancestorColumns(alias: string): string {
  const columns = ['kind_id', 'resource_id', 'owner_id', 'visibility', 'parent_id', 'inherits']
  return columns.map((column) => `${alias}.${column}`).join(', ')
}

/** Returns SQL for the grants of `q` on the resource `row` itself, without inherited ones. */
function ownGrants(row: string, lookup: GroupLookup): string {
  return `case when ${row}.owner_id = q.user_id then ${grant.owner} else 0 end
        | case when ${row}.visibility = 'workspace' then ${grant.workspace} else 0 end
        | coalesce((
            select ${shareBits} from shares s
            where s.kind_id = ${row}.kind_id and s.resource_id = ${row}.resource_id
              and s.group_id is null and s.user_id = q.user_id and ${isLive('s')}
          ), 0)
        | coalesce((
            select case when count(*) <= ${maxProbedGroups} then bit_or(bits) else (
                select bit_or(${shareBits}) from shares s
                where s.kind_id = ${row}.kind_id and s.resource_id = ${row}.resource_id
                  and s.group_id = any(array(
                    select g.group_id from group_members g
                    where g.user_id = q.user_id and g.workspace_id = q.workspace_id
                  )) and ${isLive('s')}
              ) end
            from (
              select case when ${isInGroup[lookup]} then ${shareBits} end bits
              from shares s
              where s.kind_id = ${row}.kind_id and s.resource_id = ${row}.resource_id
                and s.group_id is not null and ${isLive('s')}
              limit ${maxProbedGroups + 1}
            ) probed
          ), 0)`
}
