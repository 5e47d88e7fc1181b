import type { ShareItem } from '../../gen/daikon/v1/permissions.ts'
import type { FieldViolation } from '../core/errors.ts'
import { readExpiry } from '../core/expiry.ts'
import { findGranteeViolation } from './grantees.ts'
import type { ItemErrors } from './item-errors.ts'
import { toStoreKey } from './resource.ts'
import { findIdViolation } from './resource-id.ts'
import { readGrantedPermission } from './share-terms.ts'
import type { ResourceKey } from './store/resource-sql.ts'

/** A share to grant, whose fields are valid. */
export type RequestedShare = {
  index: number
  request: ShareItem
  /** The permission or role. */
  permission: string
  expiresAt: string | undefined
}

/**
 * Reads the fields of shares, and adds every problem that is apparent without the database. Returns
 * the shares that have no errors.
 */
export function readShares(requests: ShareItem[], now: Date, errors: ItemErrors): RequestedShare[] {
  return requests.flatMap((request, index) => {
    if (errors.has(index)) return []
    for (const violation of findResourceViolations(request)) errors.add(index, violation)
    errors.add(index, findGranteeViolation(request))
    const permission = errors.capture(index, () => readGrantedPermission(request)) ?? ''
    const expiresAt = errors.capture(index, () => readExpiry(request.expires_at, now))
    return errors.has(index) ? [] : [{ index, request, permission, expiresAt }]
  })
}

/** The fields that name the resource of a share. Field rules require exactly one of them. */
export function resourceFieldOf({ permission_id, external_id }: ShareItem) {
  if (permission_id !== undefined) return 'permission_id'
  return external_id === undefined ? 'resource_id' : 'external_id'
}

/** Returns what is wrong with the combination of fields that name the resource. */
function findResourceViolations(request: ShareItem): FieldViolation[] {
  const field = resourceFieldOf(request)
  const kind = (['service_name', 'resource_type'] as const).map((name) => ({
    field: name,
    isPresent: request[name] !== undefined,
  }))
  if (field === 'permission_id') {
    const message = 'must not be combined with permission_id'
    return kind.filter(({ isPresent }) => isPresent).map(({ field }) => ({ field, message }))
  }
  const missing = kind.filter(({ isPresent }) => !isPresent)
  if (missing.length > 0)
    return missing.map((item) => ({ field: item.field, message: `is required with ${field}` }))
  const { service_name = '', resource_type = '', external_id } = request
  const violation = findIdViolation(
    { serviceName: service_name, resourceType: resource_type },
    { external_id },
  )
  return violation ? [violation] : []
}

/** Returns the ID or the key of the resource. */
export function referenceOf({
  permission_id,
  service_name = '',
  resource_type = '',
  resource_id,
  external_id,
}: ShareItem): string | ResourceKey {
  if (permission_id !== undefined) return permission_id
  return toStoreKey({ service_name, resource_type, resource_id: external_id ?? resource_id ?? '' })
}
