import { grant } from '../../access.ts'
import { certainPair, noPairs } from './access-pairs.ts'
import { type GrantKind, notApplicable, pageOf } from './grant-kind.ts'
import { membersWithRole } from './members-with-role.ts'

const isOfStatus = 'decisions read it from the role of the subject'

/**
 * The role of an owner or admin of the workspace, which covers every resource. Decisions read it from
 * the role of the subject, so it sets no bits of its own.
 */
export const workspaceRole: GrantKind = {
  bits: notApplicable(isOfStatus),
  actionGranted: notApplicable(isOfStatus),
  reasons: notApplicable(isOfStatus),
  idMember: notApplicable('a member has one role'),
  workspaceRoles: notApplicable(isOfStatus),
  assumedBy: { assumption: 'membership' },
  resources(values) {
    const { ofKind, page } = pageOf(values)
    return `select resource_id from resources
        where ${values.grants} & ${grant.registered} <> 0 and ${ofKind} ${page}`
  },
  folders: notApplicable('the role covers what is in folders, too'),
  subjects: (values) => [membersWithRole(values, 'owner', 0), membersWithRole(values, 'admin', 0)],
  conditions: notApplicable('roles have none'),
  accessPairs: {
    accepted: ({ workspaceId }) => [certainPair(workspaceId, 'admin')],
    held: ({ workspaceId }, { bits }) =>
      bits & grant.registered ? { holders: [workspaceId], levels: ['admin'] } : noPairs,
  },
  changeRecords: ['members'],
  expiry: 'members',
  storedIn: 'members',
}
