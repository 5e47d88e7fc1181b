import type { ShareItem } from '../../gen/daikon/v1/permissions.ts'
import { type FieldViolation, invalidArgument, type ServiceError } from '../core/errors.ts'
import { noExpiry } from '../core/expiry.ts'
import { describeGrantCondition } from './grant-condition.ts'
import { type Resource, toWireKey } from './store/resource-sql.ts'
import type { Declaration, ResourceRole, ResourceTypeStore } from './store/resource-type-store.ts'
import type { Grantee, NewShare } from './store/share-store.ts'

/** The migration that lets shares have roles. */
export const roleMigration = 31

/** The migration that lets shares have conditions. */
export const conditionMigration = 37

/** The declaration of a resource type; undefined if nothing is declared. */
type Declared = Pick<Declaration, 'roles'> | undefined

/** What a share or link grants: a permission or a role. */
type Grant = { permission?: string | undefined; role?: string | undefined }

/** Returns the violation of a grant that names neither a permission nor a role. */
export function findGrantViolation({ permission, role }: Grant): FieldViolation | undefined {
  if (permission || role !== undefined) return undefined
  return { field: 'permission', message: 'is required, or role' }
}

/** Returns the permission or role of a new share or link. */
export function readGrantedPermission({ permission = '', role }: Grant): string {
  if (permission !== '' && role !== undefined)
    throw invalidArgument({ field: 'role', message: 'must not be combined with permission' })
  const violation = findGrantViolation({ permission, role })
  if (violation) throw invalidArgument(violation)
  if (role === 'view' || role === 'edit')
    throw invalidArgument({ field: 'role', message: `must not be ${role}; use permission` })
  return permission || (role as string)
}

/** Returns a role of the resource's type. Throws `invalid_argument` if the type has no such role. */
export async function requireRole(
  { resourceTypes }: { resourceTypes: ResourceTypeStore },
  resource: Resource,
  name: string,
): Promise<ResourceRole> {
  return findRole(await resourceTypes.find(resource), resource, name)
}

/** Like `requireRole`, for a type whose declaration is known. */
export function findRole(declared: Declared, resource: Resource, name: string): ResourceRole {
  const role = declared?.roles.find((role) => role.name === name)
  if (!role) throw unknownRole(resource, name)
  return role
}

/** Returns the error for a role that the type of a resource does not have. */
export function unknownRole(
  { resourceType }: Pick<Resource, 'resourceType'>,
  name: string,
): ServiceError {
  return invalidArgument({ field: 'role', message: `is not a role of ${resourceType}: ${name}` })
}

/** Returns the event of a new or changed share. */
export function sharedEvent(
  resource: Resource,
  grantee: Grantee,
  {
    permission,
    expiresAt,
    condition,
  }: { permission: string; expiresAt: string | undefined; condition: ShareItem['condition'] },
): NewShare['event'] {
  const event = shareEvent('permission.shared', resource, grantee, permission)
  const expires_at = expiresAt ?? noExpiry
  return {
    ...event,
    detail: { ...event.detail, expires_at, condition: describeGrantCondition(condition) },
  }
}

/** Returns an event about a share, with the fields that all of them have. */
export function shareEvent<Name extends 'permission.shared' | 'permission.share_revoked'>(
  action: Name,
  resource: Resource,
  grantee: Grantee,
  permission: string,
) {
  return {
    action,
    targetId: resource.id,
    workspaceId: resource.workspaceId,
    detail: {
      ...toWireKey(resource),
      grantee_type: grantee.type,
      grantee_id: grantee.id,
      permission,
    },
  }
}
