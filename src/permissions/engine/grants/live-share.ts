import { grant } from '../../access.ts'
import type { ListValues, SearchValues } from './grant-kind.ts'
import type { SubjectColumns } from './offered-columns.ts'

/**
 * Returns the SQL condition that the row `alias` of `shares` has not expired. Compares with the
 * start of the statement, because the transaction may have waited for a lock since it began.
 */
export function isLive(alias: string): string {
  return `(${alias}.expires_at is null or ${alias}.expires_at > statement_timestamp())`
}

/** The grants that shares give. */
export const shareGrants = grant.view | grant.edit | grant.manage | grant.action

/**
 * The permission or role of the row `s` of `shares`, whether or not it has a condition, which is stored
 * as a prefix (docs/decisions/conditions.md#how-a-conditional-share-is-stored).
 */
export const barePermission = `ltrim(s.permission, '?')`

/**
 * Returns the grants of the row `s` of `shares` as an SQL expression. `action` is the SQL of the
 * action of the check, null if it is built in.
 *
 * | Stored | With `s.permission` | With `barePermission` |
 * | --- | --- | --- |
 * | `view`, `edit` | `view`, `edit` | the same |
 * | `editor`, a role | what the role contains; `edit` and `manage` include `view` | the same |
 * | `?view`, `?edit`, `?editor` | only `conditional` | as without the condition |
 */
export function shareBits(action: string, permission = 's.permission'): string {
  return `case ${permission} when 'view' then ${grant.view} when 'edit' then ${grant.edit}
        else case when starts_with(${permission}, '?') then ${grant.conditional} else 0 end | coalesce((
          select case when role.actions && '{view,edit,manage}' then ${grant.view} else 0 end
            | case when 'edit' = any(role.actions) then ${grant.edit} else 0 end
            | case when 'manage' = any(role.actions) then ${grant.manage} else 0 end
            | case when ${action} = any(role.actions) then ${grant.action} else 0 end
          from resource_roles role where role.kind_id = s.kind_id and role.name = ${permission}
        ), 0) end`
}

/** Whether the row `s` of `shares` gives one of the sufficient `grants` of a list. */
export function isSufficientShare({
  grants,
  action,
  permission,
}: Pick<ListValues, 'grants' | 'action' | 'permission'>): string {
  return `(${shareBits(action, permission)}) & ${grants} <> 0`
}

/** The permission of the row `s` of `shares`, null if it has a role. */
export const sharePermission = `case when ${barePermission} in ('view', 'edit') then ${barePermission} end`

/** The role of the row `s` of `shares`, null if it has a permission. */
export const shareRole = `case when ${barePermission} not in ('view', 'edit') then ${barePermission} end`

/** Returns the columns of `ReasonSelect` that shares with users and with groups have in common. `s` is the row of `shares`. */
export function shareReason({ action }: Pick<SubjectColumns, 'action'>) {
  return {
    bits: shareBits(action),
    permission: sharePermission,
    role: shareRole,
    shareId: 's.id',
    expiresAt: 's.expires_at',
    condition: 's.condition',
    digest: `(
        select digest from resource_conditions c
        where c.kind_id = s.kind_id and c.name = s.condition
      )`,
    params: 's.params',
    conditionalBits: shareBits(action, barePermission),
  }
}

type SearchedAction = Pick<SearchValues, 'actionKind' | 'action'>

const searchedAction = ({ actionKind, action }: SearchedAction) =>
  `case when ${actionKind} = 'registered' then ${action} end`

/** Returns the grants of the row `s` of `shares` for a search for subjects. */
export function searchedBits(search: SearchedAction): string {
  return shareBits(searchedAction(search))
}

/**
 * Returns the SQL condition that the row `s` of `shares` allows the action of a search for subjects by
 * itself, or would if its condition were true.
 */
export function isSearchedShare(search: SearchedAction): string {
  return `${isLive('s')} and (${shareBits(searchedAction(search), barePermission)}) & case ${search.actionKind}
          when 'view' then ${grant.view | grant.edit} when 'edit' then ${grant.edit}
          when 'manage' then ${grant.manage} else ${grant.action} end <> 0`
}
