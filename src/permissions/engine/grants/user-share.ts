import { holderName, pairOfShare, shareLevels } from './access-pairs.ts'
import { type GrantKind, notApplicable, pageOf } from './grant-kind.ts'
import {
  isLive,
  isSearchedShare,
  isSufficientShare,
  searchedBits,
  shareBits,
  shareGrants,
  shareReason,
} from './live-share.ts'

/** A share with the user. */
export const userShare: GrantKind = {
  bits: {
    sql: ({ row, subject }) => `coalesce((
            select ${shareBits(subject.action)} from shares s
            where s.kind_id = ${row.kindId} and s.resource_id = ${row.resourceId}
              and s.group_id is null and s.user_id = ${subject.userId} and ${isLive('s')}
          ), 0)`,
    isOwnGrant: true,
  },
  actionGranted: notApplicable('a share is of one resource'),
  reasons: ({ chain, subject }) => ({
    ...shareReason(subject),
    from: `chain join shares s on s.kind_id = ${chain.kindId} and s.resource_id = ${chain.resourceId}
    where s.group_id is null and s.user_id = ${subject.userId} and ${isLive('s')}`,
  }),
  idMember: 'shareId',
  workspaceRoles: notApplicable('workspaces are not shared'),
  assumedBy: { assumption: 'share', grantee: 'user' },
  resources(values) {
    const { ofKind, page } = pageOf(values)
    return `select s.resource_id from shares s
        where ${values.grants} & ${shareGrants} <> 0 and ${isSufficientShare(values)}
          and user_id = ${values.user} and ${ofKind} and ${isLive('s')} ${page}`
  },
  folders: {
    bits: shareGrants,
    from: ({
      user,
      workspace,
      grants,
      action,
      permission,
    }) => `shares s join resources r using (kind_id, resource_id)
        where s.on_parent and s.user_id = ${user} and s.workspace_id = ${workspace}
          and ${isSufficientShare({ grants, action, permission })} and ${isLive('s')}`,
  },
  subjects: (values) => {
    const { chain, after, limit } = values
    return [
      `select s.user_id, bit_or(s.bits) as bits from chain cross join lateral (
        select s.user_id, ${searchedBits(values)} as bits from shares s
        where s.kind_id = ${chain.kindId} and s.resource_id = ${chain.resourceId}
          and s.group_id is null and s.user_id > ${after} and ${isSearchedShare(values)}
        order by s.user_id limit ${limit}
      ) s
      group by s.user_id order by s.user_id limit ${limit}`,
    ]
  },
  conditions: {
    bits: shareGrants,
    exists: ({ subject }) => `exists (
        select from shares s
        where s.user_id = ${subject.userId} and s.workspace_id = ${subject.workspaceId}
          and s.condition is not null offset 0
      )`,
    isGrantee: ({ subject, share }) => `${share.userId} = ${subject.userId}`,
  },
  accessPairs: {
    accepted: (resource) =>
      resource.shares.flatMap((share) => (!share.isGroup ? [pairOfShare(resource, share)] : [])),
    held: ({ workspaceId, subjectId }, sufficient) => ({
      holders: [holderName(workspaceId, subjectId)],
      levels: shareLevels(sufficient),
    }),
  },
  changeRecords: ['shares', 'resource_roles'],
  expiry: 'shares',
  storedIn: 'shares',
}
