import type { Role } from '../../../core/roles.ts'
import type { Visibility } from '../../../database/entities/resources.ts'
import { grant } from '../../access.ts'
import type { SearchValues } from './grant-kind.ts'

/**
 * Returns SQL for the members of the resource's workspace with a role, and the grants `bits`, if the
 * condition is true.
 */
export function membersWithRole(
  { workspace, after, limit }: Pick<SearchValues, 'workspace' | 'after' | 'limit'>,
  role: Role,
  bits: number,
  condition = 'true',
): string {
  return `select user_id, ${bits} as bits from live_members
      where ${condition} and workspace_id = ${workspace}
        and role = '${role}' and user_id > ${after}
      order by user_id limit ${limit}`
}

/**
 * Returns `GrantKind.subjects` of a visibility that lets members view and editors edit. `bits` are what
 * it gives to those who view.
 */
export function visibleToMembers(visibility: Visibility, bits = `${grant.workspace}`) {
  return (values: SearchValues): string[] => {
    const { chain, actionKind, workspace, after, limit } = values
    const isVisible = `exists (select from chain where ${chain.visibility} = '${visibility}')`
    return [
      `select m.user_id, ${bits} as bits from live_members m
      where ${actionKind} = 'view' and ${isVisible}
        and m.workspace_id = ${workspace} and m.user_id > ${after}
      order by m.user_id limit ${limit}`,
      membersWithRole(values, 'editor', grant.workspace, `${actionKind} = 'edit' and ${isVisible}`),
    ]
  }
}
