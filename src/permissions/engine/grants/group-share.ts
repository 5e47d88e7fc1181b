import { holderName, pairOfShare, shareLevels } from './access-pairs.ts'
import { type GrantKind, type GroupLookup, notApplicable, pageOf } from './grant-kind.ts'
import {
  isLive,
  isSearchedShare,
  isSufficientShare,
  searchedBits,
  shareBits,
  shareGrants,
  shareReason,
} from './live-share.ts'
import type { SubjectColumns } from './offered-columns.ts'

/**
 * The maximum number of groups in which a check looks up the user. If a resource is shared with
 * more groups, the check reads the groups of the user instead.
 */
const maxProbedGroups = 4

/** Return the SQL condition that the subject is in the group of the row `s` of `shares`. */
const isInGroup: Record<GroupLookup, (subject: Pick<SubjectColumns, 'userId'>) => string> = {
  /** Uses one index lookup per group. `offset 0` prevents a hash join, which would read more. */
  perGroup: ({ userId }) => `exists (
                  select from group_members g
                  where g.group_id = s.group_id and g.user_id = ${userId} offset 0
                )`,
  /**
   * Reads and hashes all groups of the subjects once, which is faster for many checks of few
   * subjects. `offset 0` makes it read them by index: without statistics, a join would hash the whole
   * table.
   */
  groupSet: ({ userId }) => `(${userId}, s.group_id) in (
                  select g.user_id, g.group_id from subject cross join lateral (
                    select user_id, group_id from group_members
                    where user_id = subject.user_id
                      and (subject.workspace_id is null or workspace_id = subject.workspace_id)
                    offset 0
                  ) g
                )`,
}

/** A share with a group that the user is in, directly or through its child groups. */
export const groupShare: GrantKind = {
  bits: {
    sql({ row, subject, lookup }) {
      const bits = shareBits(subject.action)
      return `coalesce((
            select case when count(*) <= ${maxProbedGroups} then bit_or(bits) else (
                select bit_or(${bits}) from shares s
                where s.kind_id = ${row.kindId} and s.resource_id = ${row.resourceId}
                  and s.group_id = any(array(
                    select g.group_id from group_members g
                    where g.user_id = ${subject.userId} and g.workspace_id = ${subject.workspaceId}
                  )) and ${isLive('s')}
              ) end
            from (
              select case when ${isInGroup[lookup](subject)} then ${bits} end bits
              from shares s
              where s.kind_id = ${row.kindId} and s.resource_id = ${row.resourceId}
                and s.group_id is not null and ${isLive('s')}
              limit ${maxProbedGroups + 1}
            ) probed
          ), 0)`
    },
    isOwnGrant: true,
  },
  actionGranted: notApplicable('a share is of one resource'),
  reasons: ({ chain, subject }) => ({
    ...shareReason(subject),
    groupId: 's.group_id',
    isDirect: 'g.is_direct',
    from: `chain join shares s on s.kind_id = ${chain.kindId} and s.resource_id = ${chain.resourceId}
    join group_members g on g.group_id = s.group_id and g.user_id = ${subject.userId}
    where ${isLive('s')}`,
  }),
  idMember: 'shareId',
  workspaceRoles: notApplicable('workspaces are not shared'),
  assumedBy: { assumption: 'share', grantee: 'group' },
  resources(values) {
    const { user, workspace, grants } = values
    const { ofKind, page } = pageOf(values)
    return `select s.resource_id from group_members g cross join lateral (
          select s.resource_id from shares s
          where ${isSufficientShare(values)}
            and s.group_id = g.group_id and ${ofKind} and ${isLive('s')} ${page}
        ) s
        where ${grants} & ${shareGrants} <> 0
          and g.user_id = ${user} and g.workspace_id = ${workspace}`
  },
  folders: {
    bits: shareGrants,
    from: ({ user, workspace, grants, action, permission }) => `group_members g
        join shares s on s.group_id = g.group_id and s.workspace_id = ${workspace} and s.on_parent
        join resources r on r.kind_id = s.kind_id and r.resource_id = s.resource_id
        where g.user_id = ${user} and g.workspace_id = ${workspace}
          and ${isSufficientShare({ grants, action, permission })} and ${isLive('s')}`,
  },
  subjects: (values) => {
    const { chain, after, limit } = values
    return [
      `select g.user_id, bit_or(${searchedBits(values)}) as bits from chain
      join shares s on s.kind_id = ${chain.kindId} and s.resource_id = ${chain.resourceId}
        and s.group_id is not null and ${isSearchedShare(values)}
      cross join lateral (
        select user_id from group_members
        where group_id = s.group_id and user_id > ${after} order by user_id limit ${limit}
      ) g
      group by g.user_id order by g.user_id limit ${limit}`,
    ]
  },
  conditions: {
    bits: shareGrants,
    exists: ({ subject }) => `exists (
        select from group_members g
        where g.user_id = ${subject.userId} and g.workspace_id = ${subject.workspaceId} and exists (
          select from shares s
          where s.group_id = g.group_id and s.workspace_id = ${subject.workspaceId}
            and s.condition is not null offset 0
        )
      )`,
    isGrantee: ({ subject, share }) => `${share.groupId} is not null and exists (
          select from group_members g
          where g.group_id = ${share.groupId} and g.user_id = ${subject.userId} offset 0
        )`,
  },
  accessPairs: {
    accepted: (resource) =>
      resource.shares.flatMap((share) => (share.isGroup ? [pairOfShare(resource, share)] : [])),
    held: ({ workspaceId, groupIds }, sufficient) => ({
      holders: groupIds.map((id) => holderName(workspaceId, id)),
      levels: shareLevels(sufficient),
    }),
  },
  changeRecords: ['shares', 'group_members', 'resource_roles'],
  expiry: 'shares',
  storedIn: 'shares',
}
