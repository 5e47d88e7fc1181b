import { grant } from '../../access.ts'
import { type GrantKind, pageOf } from './grant-kind.ts'
import { visibleToMembers } from './members-with-role.ts'
import { allowsPublic } from './public-visibility.ts'

/** The visibility `workspace`: members may view, editors may also edit. */
export const workspaceVisibility: GrantKind = {
  rule: 'workspace_visibility',
  bits: (row) => `case when ${row}.visibility = 'workspace' then ${grant.workspace} else 0 end`,
  reasons: {
    bits: grant.workspace,
    from: `chain where not coalesce(q.is_outside, false)
      and (visibility = 'workspace' or visibility = 'public' and not ${allowsPublic})`,
  },
  resources(values) {
    const { ofKind, page } = pageOf(values)
    return `select resource_id from resources
        where ${values.grants} & ${grant.workspace} <> 0 and visibility = 'workspace' and ${ofKind} ${page}`
  },
  folders: {
    bits: grant.workspace,
    from: ({ workspace }) => `resources r
        where r.is_parent and r.visibility = 'workspace' and r.workspace_id = ${workspace}`,
  },
  subjects: visibleToMembers('workspace'),
  changeRecords: ['resources', 'members'],
}
