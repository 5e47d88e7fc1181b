import { grant } from '../../access.ts'
import { type GrantKind, pageOf } from './grant-kind.ts'

/** The owner of a resource. */
export const owner: GrantKind = {
  rule: 'owner',
  bits: (row) => `case when ${row}.owner_id = q.user_id then ${grant.owner} else 0 end`,
  reasons: { bits: grant.owner, from: 'chain where owner_id = q.user_id' },
  resources(values) {
    const { ofKind, page } = pageOf(values)
    return `select resource_id from resources
        where ${values.grants} & ${grant.owner} <> 0 and owner_id = ${values.user} and ${ofKind} ${page}`
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
