import type { Role } from '../../../core/roles.ts'
import { isInLiveTree } from '../../../database/deleted-rows.ts'
import { grant } from '../../access.ts'
import { chainCte } from '../chain.ts'
import type { SearchValues } from '../grants/grant-kind.ts'
import { partsOf } from '../grants/grant-kinds.ts'
import { chainColumns } from '../grants/offered-columns.ts'
import { isChainRestricted } from './requirements.ts'

/** The kind of an action, which determines the grants that can allow it. */
export type ActionKind = 'view' | 'edit' | 'manage' | 'registered'

const values: SearchValues = {
  chain: chainColumns,
  service: '$1',
  workspace: '(select workspace_id from resource_workspace)',
  after: '$4',
  limit: '$5',
  actionKind: '$6',
  action: '$7',
}

const branches = partsOf('subjects').flatMap(({ part }) => part(values))

/**
 * Candidates for an action on a resource, in the order of their IDs: every user after $4 who may
 * perform it, and some who may not.
 *
 * | Parameter | |
 * | --- | --- |
 * | $1, $2, $3 | service name, resource type and resource ID |
 * | $4 | the ID that the users come after |
 * | $5 | the maximum number of users |
 * | $6 | ActionKind |
 * | $7 | action |
 *
 * | Column | |
 * | --- | --- |
 * | `id`, `external_id`, `email`, `name`, `is_active` | the user |
 * | `role`, `is_guest` | in the workspace; null for others |
 * | grants | bits that decide a built-in action, unless they contain one of the next two |
 * | - `barred` | requirements bind the resource |
 * | - `conditional` | a share with a condition names the user |
 *
 * Every branch follows an index and limits its users, not its rows: a user with several shares or
 * groups counts once.
 */
export const subjectsSql = `
with recursive ${chainCte(`
    from resource_kinds k join resources r on r.kind_id = k.id
    where k.service_name = $1 and k.resource_type = $2 and r.resource_id = $3
      and ${isInLiveTree('r.kind_id', 'r.resource_id')}`)},
resource_workspace as materialized (
  select workspace_id, ${isChainRestricted} as is_restricted from chain where depth = 1
)
select u.id, u.external_id, coalesce(u.email, ''), u.name, u.is_active, m.role, m.is_guest,
  candidates.bits | ${grant.registered} | case when (select is_restricted from resource_workspace)
    then ${grant.barred} else 0 end
from (
  select user_id, bit_or(bits) as bits from (
    ${branches.map((branch) => `(${branch})`).join('\n    union all\n    ')}
  ) branches
  group by user_id order by user_id limit $5
) candidates
join users u on u.id = candidates.user_id
left join live_members m
  on m.user_id = u.id and m.workspace_id = (select workspace_id from resource_workspace)
order by u.id`

/** A row of `subjectsSql`. */
export type SubjectRow = [
  id: string,
  externalId: string | null,
  email: string,
  name: string,
  isActive: boolean,
  role: Role | null,
  isGuest: boolean | null,
  grants: number,
]
