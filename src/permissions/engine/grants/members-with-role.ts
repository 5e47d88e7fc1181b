import type { Role } from '../../../core/roles.ts'
import type { Visibility } from '../../../database/entities/resources.ts'
import { grant } from '../../access.ts'

/**
 * Returns SQL for the members of the resource's workspace with a role, and the grants `bits`, if the
 * condition is true.
 */
export function membersWithRole(role: Role, bits: number, condition = 'true'): string {
  return `select user_id, ${bits} as bits from live_members
      where ${condition} and workspace_id = (select workspace_id from resource_workspace)
        and role = '${role}' and user_id > $4
      order by user_id limit $5`
}

/** Returns `GrantKind.subjects` of a visibility that lets members view and editors edit. */
export function visibleToMembers(visibility: Visibility): string[] {
  const isVisible = `exists (select from chain where visibility = '${visibility}')`
  return [
    `select m.user_id, ${grant.workspace} as bits from live_members m
      where $6 = 'view' and ${isVisible}
        and m.workspace_id = (select workspace_id from resource_workspace) and m.user_id > $4
      order by m.user_id limit $5`,
    membersWithRole('editor', grant.workspace, `$6 = 'edit' and ${isVisible}`),
  ]
}
