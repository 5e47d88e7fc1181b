import { isInLiveTree } from '../../../database/deleted-rows.ts'
import { grant } from '../../access.ts'
import { certainPair, holderName, noPairs } from './access-pairs.ts'
import { type GrantKind, notApplicable } from './grant-kind.ts'

const highestId = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** The owner of a resource. */
export const owner: GrantKind = {
  bits: {
    sql: ({ row, subject }) =>
      `case when ${row.ownerId} = ${subject.userId} then ${grant.owner} else 0 end`,
    isOwnGrant: true,
  },
  actionGranted: notApplicable('owners have every action by the bit of the resource'),
  reasons: ({ chain, subject }) => ({
    bits: grant.owner,
    from: `chain where ${chain.ownerId} = ${subject.userId}`,
  }),
  idMember: notApplicable('the resource has one owner'),
  workspaceRoles: notApplicable('the owner of a workspace is a member with a role'),
  assumedBy: notApplicable('no assumption changes the owner'),
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
  subjects: ({ chain: { ownerId }, after, limit }) => [
    `select ${ownerId} as user_id, ${grant.owner} as bits from chain where ${ownerId} > ${after}
      group by ${ownerId} order by ${ownerId} limit ${limit}`,
  ],
  conditions: notApplicable('ownership has none'),
  accessPairs: {
    accepted: ({ workspaceId, ownerId }) =>
      ownerId === null ? [] : [certainPair(holderName(workspaceId, ownerId), 'owner')],
    held: ({ workspaceId, subjectId }, { bits }) =>
      bits & grant.owner
        ? { holders: [holderName(workspaceId, subjectId)], levels: ['owner'] }
        : noPairs,
  },
  changeRecords: ['resources'],
  expiry: notApplicable('ownership does not expire'),
  storedIn: 'resources',
}
