import { isInLiveWorkspace } from '../../../database/deleted-rows.ts'
import { grant } from '../../access.ts'
import { certainPair, noPairs } from './access-pairs.ts'
import { type GrantKind, type ListValues, notApplicable, pageOf } from './grant-kind.ts'
import { visibleToMembers } from './members-with-role.ts'
import { type AskedColumns, askedColumns } from './offered-columns.ts'

/**
 * Returns the SQL condition that the type of a resource allows `public`. Where it does not, it means
 * `workspace`.
 */
export function allowsPublic({ kindId, workspaceId }: AskedColumns): string {
  return `exists (
            select from resource_types t where t.kind_id = ${kindId} and t.allow_public
          ) and ${isInLiveWorkspace(workspaceId)}`
}

/** Whether a list includes what is public: to guests, it is where the type allows it. */
function counts({ grants, kind, workspace }: ListValues): string {
  const asked = { kindId: kind, workspaceId: workspace }
  return `(${grants} & ${grant.workspace} <> 0
          or ${grants} & ${grant.public} <> 0 and ${allowsPublic(asked)})`
}

/** The bits of what is public in a search for subjects, as an SQL expression. */
const publicBits = `case when exists (
          select from chain r where r.depth = 1 and ${allowsPublic(askedColumns)}
        ) then ${grant.workspace | grant.public} else ${grant.workspace} end`

/** The visibility `public`: everybody may view. For members, it also means `workspace`. */
export const publicVisibility: GrantKind = {
  bits: {
    sql: ({ row, asked }) => `case when ${row.visibility} = 'public' then ${grant.workspace}
          | case when ${allowsPublic(asked)} then ${grant.public} else 0 end else 0 end`,
    isOwnGrant: false,
  },
  actionGranted: notApplicable('it is about the resource'),
  reasons: ({ chain, subject, asked }) => ({
    bits: `case when ${subject.isOutside} then ${grant.public} else ${grant.public | grant.workspace} end`,
    from: `chain where ${chain.visibility} = 'public' and ${allowsPublic(asked)}`,
  }),
  idMember: notApplicable('a resource has one visibility'),
  workspaceRoles: notApplicable('workspaces are not public'),
  assumedBy: notApplicable('no assumption changes the visibility'),
  resources(values) {
    const { ofKind, page } = pageOf(values)
    return `select resource_id from resources
        where ${counts(values)} and visibility = 'public' and ${ofKind} ${page}`
  },
  folders: {
    bits: grant.workspace | grant.public,
    from: (values) => `resources r
        where r.is_parent and r.visibility = 'public' and r.workspace_id = ${values.workspace}
          and ${counts(values)}`,
  },
  subjects: visibleToMembers('public', publicBits),
  conditions: notApplicable('visibilities have none'),
  accessPairs: {
    // Each of `everybody`, members and guests holds another pair.
    accepted: ({ workspaceId, visibility }) =>
      visibility === 'public'
        ? [
            certainPair('public', 'public'),
            certainPair(workspaceId, 'public'),
            certainPair(workspaceId, 'visible'),
          ]
        : [],
    held: ({ workspaceId }, { bits, allowsPublic }) =>
      bits & grant.public && allowsPublic
        ? { holders: [workspaceId], levels: ['public'] }
        : noPairs,
  },
  changeRecords: ['resources', 'members', 'resource_types'],
  expiry: notApplicable('visibilities do not expire'),
  storedIn: 'resources',
}
