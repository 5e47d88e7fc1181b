import { isInLiveTree } from '../../../database/deleted-rows.ts'
import { grant } from '../../access.ts'
import { inheritsFromAny } from '../chain.ts'
import type { ListValues } from '../grants/grant-kind.ts'
import type { Ctes } from '../statement.ts'
import type { Coverage } from '../subjects/subject-kind.ts'
import { ancestorBits } from './checks.ts'
import type { Certainty } from './list.ts'

/** The number of children in the first chunk, for each ID of the page. */
const firstPerId = 2

type CheckedOptions = {
  values: Pick<ListValues, 'workspace' | 'first' | 'limit'>
  certainty: Certainty
  /** The coverage of the subject, whose resources count instead of grants if it lists any. */
  coverage: Coverage | null
  /** SQL for whether any child is checked. */
  isUsed: string
  /** SQL for the maximum number of checked children. */
  maxChecked: string
}

/**
 * Returns the CTEs `checked` and `unchecked`, for lists of users who can reach too many
 * folders to read them all. Requires the CTEs `query`, `kind` and `direct`.
 *
 * `checked` reads the children in the workspace in the order of their IDs, in chunks of increasing
 * size, until the page is full. Each parent in a chunk is decided once, as a check would decide it.
 * `ids` are those that inherit a grant and are not in `direct`. `unchecked.next` is the first ID that
 * was not checked, null if there are no more children.
 */
export function checkedCtes({
  values: { workspace, first, limit },
  certainty,
  coverage,
  isUsed,
  maxChecked,
}: CheckedOptions): Ctes {
  const sufficient = certainty === 'certain' ? 'q.grants' : `(q.grants | ${grant.conditional})`
  const isGranted = `${ancestorBits('parent.id', 'perGroup')} & ${sufficient} <> 0`
  const isListed = inheritsFromAny('parent.id', 'q.listed')
  return {
    checked: `
  select ${first} as next, 0 as count, 0 as found, array[]::uuid[] as ids where ${isUsed}
  union all
  select chunk.next, checked.count + chunk.size, checked.found + cardinality(chunk.ids), chunk.ids
  from checked cross join lateral (
    with part as materialized (
      select least(greatest(${firstPerId} * ${limit}, checked.count), ${maxChecked} - checked.count) as size
    ), child as materialized (
      select resource_id, parent_id from resources
      where parent_id is not null and inherits
        and workspace_id = ${workspace} and kind_id = (select id from kind)
        and resource_id >= checked.next
      order by resource_id limit (select size from part)
    ), following as materialized (
      -- The last child of a full chunk only says where the next one begins.
      select case when (select count(*) from child) = size
        then (select resource_id from child order by resource_id desc limit 1) end as next
      from part
    ), candidate as materialized (
      select resource_id, parent_id from child, following
      where (next is null or resource_id < next)
        and (resource_id in (select resource_id from direct)) is not true
        and ${isInLiveTree('(select id from kind)', 'resource_id')}
    )
    select size, next, array(
      select resource_id from candidate
      where (parent_id in (
        select parent.id
        from (select distinct parent_id as id from candidate) parent
        cross join query q
        cross join (select (select id from kind) as kind_id, ${workspace} as workspace_id) r
        where ${coverage ? `case when q.listed is null then ${isGranted} else ${isListed} end` : isGranted}
      )) is true
    ) as ids
    from part, following
  ) chunk
  where checked.next is not null and checked.count < ${maxChecked} and ${limit} > checked.found
    + (select count(*) from direct where resource_id < checked.next)`,
    unchecked: 'select next from checked order by count desc limit 1',
  }
}
