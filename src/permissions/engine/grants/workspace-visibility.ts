import { grant } from '../../access.ts'
import { certainPair, noPairs } from './access-pairs.ts'
import { type GrantKind, notApplicable, pageOf } from './grant-kind.ts'
import { visibleToMembers } from './members-with-role.ts'
import { allowsPublic } from './public-visibility.ts'

/** The visibility `workspace`: members may view, editors may also edit. */
export const workspaceVisibility: GrantKind = {
  bits: {
    sql: ({ row }) =>
      `case when ${row.visibility} = 'workspace' then ${grant.workspace} else 0 end`,
    isOwnGrant: true,
  },
  actionGranted: notApplicable('it is about the resource'),
  reasons: ({ chain: { visibility }, subject, asked }) => ({
    bits: grant.workspace,
    from: `chain where not coalesce(${subject.isOutside}, false)
      and (${visibility} = 'workspace' or ${visibility} = 'public' and not ${allowsPublic(asked)})`,
  }),
  idMember: notApplicable('a resource has one visibility'),
  workspaceRoles: notApplicable('members may view their workspace by their role'),
  assumedBy: notApplicable('no assumption changes the visibility'),
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
  conditions: notApplicable('visibilities have none'),
  accessPairs: {
    accepted: ({ workspaceId, visibility }) =>
      visibility === 'workspace' ? [certainPair(workspaceId, 'visible')] : [],
    held: ({ workspaceId }, { bits }) =>
      bits & grant.workspace ? { holders: [workspaceId], levels: ['visible'] } : noPairs,
  },
  changeRecords: ['resources', 'members'],
  expiry: notApplicable('visibilities do not expire'),
  storedIn: 'resources',
}
