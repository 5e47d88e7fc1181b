import { type GrantKind, pageOf } from './grant-kind.ts'
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

const bits = shareBits('q.action')

/** A share with the user. */
export const userShare: GrantKind = {
  rule: 'share',
  bits: (row) => `coalesce((
            select ${bits} from shares s
            where s.kind_id = ${row}.kind_id and s.resource_id = ${row}.resource_id
              and s.group_id is null and s.user_id = q.user_id and ${isLive('s')}
          ), 0)`,
  reasons: {
    bits,
    permission: sharePermission,
    role: shareRole,
    shareId: 's.id',
    expiresAt: 's.expires_at',
    ...shareCondition,
    from: `chain join shares s on s.kind_id = chain.kind_id and s.resource_id = chain.resource_id
    where s.group_id is null and s.user_id = q.user_id and ${isLive('s')}`,
  },
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
  subjects: [
    `select s.user_id, bit_or(s.bits) as bits from chain cross join lateral (
        select s.user_id, ${searchedBits} as bits from shares s
        where s.kind_id = chain.kind_id and s.resource_id = chain.resource_id
          and s.group_id is null and s.user_id > $4 and ${isSearchedShare}
        order by s.user_id limit $5
      ) s
      group by s.user_id order by s.user_id limit $5`,
  ],
  changeRecords: ['shares', 'resource_roles'],
}
