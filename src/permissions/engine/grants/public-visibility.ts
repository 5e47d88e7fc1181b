import { isInLiveWorkspace } from '../../../database/deleted-rows.ts'
import { grant } from '../../access.ts'
import { type GrantKind, pageOf } from './grant-kind.ts'
import { visibleToMembers } from './members-with-role.ts'

/** Whether the type of the resource `r` allows `public`. Where it does not, it means `workspace`. */
export const allowsPublic = `exists (
            select from resource_types t where t.kind_id = r.kind_id and t.allow_public
          ) and ${isInLiveWorkspace('r.workspace_id')}`

/** The visibility `public`: everybody may view. For members, it also means `workspace`. */
export const publicVisibility: GrantKind = {
  rule: 'public',
  bits: (row) => `case when ${row}.visibility = 'public' then ${grant.workspace}
          | case when ${allowsPublic} then ${grant.public} else 0 end else 0 end`,
  reasons: {
    bits: `case when q.is_outside then ${grant.public} else ${grant.public | grant.workspace} end`,
    from: `chain where visibility = 'public' and ${allowsPublic}`,
  },
  resources(values) {
    const { ofKind, page } = pageOf(values)
    return `select resource_id from resources
        where ${values.grants} & ${grant.workspace} <> 0 and visibility = 'public' and ${ofKind} ${page}`
  },
  folders: {
    bits: grant.workspace,
    from: ({ workspace }) => `resources r
        where r.is_parent and r.visibility = 'public' and r.workspace_id = ${workspace}`,
  },
  subjects: visibleToMembers('public'),
  changeRecords: ['resources', 'members', 'resource_types'],
}
