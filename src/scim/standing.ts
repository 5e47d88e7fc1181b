import { mapRole } from '../connections/mapping.ts'
import type { StoredConnection } from '../connections/store/connection-store.ts'
import type { Standing } from '../workspaces/guests.ts'
import type { Attributes } from './resource.ts'

/** The role that SCIM answers for guests of whose roles the directory has said nothing. */
export const guestRole = 'guest'

/** Returns what attributes give. What SCIM answers for a guest gives the same when it is sent back. */
export function readStanding(
  { mapping, defaultRole }: StoredConnection,
  attributes: Attributes,
): Standing {
  const roles = { [guestRole]: 'guest' as const, ...mapping.roles }
  return mapRole({ roles }, defaultRole, roleValues(attributes))
}

/** Returns the values that the mapping of a connection may turn into a role. */
export function roleValues({ roles, userType }: Attributes): string[] {
  const listed = Array.isArray(roles) ? roles.map((role) => role.value) : []
  return [...listed, userType].filter((value) => typeof value === 'string')
}
