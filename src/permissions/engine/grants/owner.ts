import { isInLiveTree } from '../../../database/deleted-rows.ts'
import { grant } from '../../access.ts'
import type { GrantKind } from './grant-kind.ts'

const highestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** The owner of a resource. */
export const owner: GrantKind = {
  rule: 'owner',
  bits: (row) => `case when ${row}.owner_id = q.user_id then ${grant.owner} else 0 end`,
  reasons: { bits: grant.owner, from: 'chain where owner_id = q.user_id' },
  // Compares rows, so that of the indexes that begin with the workspace, none looks as good as that
  // of owners: without statistics, the planner may expect as little of a workspace as of one owner.
  resources({ grants, user, workspace, kind, first, limit }) {
    const columns = 'workspace_id, kind_id, resource_id'
    return `select resource_id from resources
        where ${grants} & ${grant.owner} <> 0 and owner_id = ${user}
          and (${columns}) >= (${workspace}, ${kind}, ${first})
          and (${columns}) <= (${workspace}, ${kind}, '${highestId}')
          and ${isInLiveTree('kind_id', 'resource_id')}
        order by ${columns} limit ${limit}`
  },
  folders: {
    bits: grant.owner,
    from: ({ user, workspace }) => `resources r
        where r.is_parent and r.owner_id = ${user} and r.workspace_id = ${workspace}`,
  },
  subjects: [
    `select owner_id as user_id, ${grant.owner} as bits from chain where owner_id > $4
      group by owner_id order by owner_id limit $5`,
  ],
  changeRecords: ['resources'],
}
