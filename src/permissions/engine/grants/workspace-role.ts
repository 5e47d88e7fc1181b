import { grant } from '../../access.ts'
import { type GrantKind, pageOf } from './grant-kind.ts'
import { membersWithRole } from './members-with-role.ts'

/**
 * The role of an owner or admin of the workspace, which covers every resource. Decisions read it from
 * the role of the subject, so it sets no bits of its own.
 */
export const workspaceRole: GrantKind = {
  rule: 'workspace_role',
  bits: null,
  reasons: null,
  resources(values) {
    const { ofKind, page } = pageOf(values)
    return `select resource_id from resources
        where ${values.grants} & ${grant.registered} <> 0 and ${ofKind} ${page}`
  },
  folders: null,
  subjects: [membersWithRole('owner', 0), membersWithRole('admin', 0)],
  changeRecords: ['members'],
}
