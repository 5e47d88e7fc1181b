import { type GrantKind, type GroupLookup, pageOf } from './grant-kind.ts'
import {
  isLive,
  isSearchedShare,
  isSufficientShare,
  searchedBits,
  shareBits,
  shareCondition,
  shareGrants,
  sharePermission,
  shareRole,
} from './live-share.ts'

/**
 * The maximum number of groups in which a check looks up the user. If a resource is shared with
 * more groups, the check reads the groups of the user instead.
 */
const maxProbedGroups = 4

const isInGroup: Record<GroupLookup, string> = {
  /** Uses one index lookup per group. `offset 0` prevents a hash join, which would read more. */
  probed: `exists (
                  select from group_members g
                  where g.group_id = s.group_id and g.user_id = q.user_id offset 0
                )`,
  /**
   * Reads and hashes all groups of the subjects once, which is faster for many checks of few
   * subjects. `offset 0` makes it read them by index: without statistics, a join would hash the whole
   * table.
   */
  hashed: `(q.user_id, s.group_id) in (
                  select g.user_id, g.group_id from subject cross join lateral (
                    select user_id, group_id from group_members
                    where user_id = subject.user_id
                      and (subject.workspace_id is null or workspace_id = subject.workspace_id)
                    offset 0
                  ) g
                )`,
}

const bits = shareBits('q.action')

/** A share with a group that the user is in, directly or through its child groups. */
export const groupShare: GrantKind = {
  rule: 'group_share',
  bits: (row, lookup) => `coalesce((
            select case when count(*) <= ${maxProbedGroups} then bit_or(bits) else (
                select bit_or(${bits}) from shares s
                where s.kind_id = ${row}.kind_id and s.resource_id = ${row}.resource_id
                  and s.group_id = any(array(
                    select g.group_id from group_members g
                    where g.user_id = q.user_id and g.workspace_id = q.workspace_id
                  )) and ${isLive('s')}
              ) end
            from (
              select case when ${isInGroup[lookup]} then ${bits} end bits
              from shares s
              where s.kind_id = ${row}.kind_id and s.resource_id = ${row}.resource_id
                and s.group_id is not null and ${isLive('s')}
              limit ${maxProbedGroups + 1}
            ) probed
          ), 0)`,
  reasons: {
    bits,
    permission: sharePermission,
    role: shareRole,
    groupId: 's.group_id',
    isDirect: 'g.is_direct',
    shareId: 's.id',
    expiresAt: 's.expires_at',
    ...shareCondition,
    from: `chain join shares s on s.kind_id = chain.kind_id and s.resource_id = chain.resource_id
    join group_members g on g.group_id = s.group_id and g.user_id = q.user_id
    where ${isLive('s')}`,
  },
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
  subjects: [
    `select g.user_id, bit_or(${searchedBits}) as bits from chain
      join shares s on s.kind_id = chain.kind_id and s.resource_id = chain.resource_id
        and s.group_id is not null and ${isSearchedShare}
      cross join lateral (
        select user_id from group_members
        where group_id = s.group_id and user_id > $4 order by user_id limit $5
      ) g
      group by g.user_id order by g.user_id limit $5`,
  ],
  changeRecords: ['shares', 'group_members', 'resource_roles'],
}
