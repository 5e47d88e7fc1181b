import { v5 as nameBasedUuid } from 'uuid'
import type { AccessResource } from '../../gen/daikon/v1/access.ts'
import type { FieldViolation } from '../core/errors.ts'
import type { ServicePrincipal } from '../core/request-context.ts'
import { isUuid } from '../core/uuid.ts'
import type { Kind } from './engine/question.ts'
import { workspaceType } from './engine/workspace-type.ts'

/**
 * The namespace of the UUIDs that are derived from ids of other formats. It is published, so it
 * must never change.
 */
export const resourceNamespace = 'f8e1572e-33cb-4304-a2f6-032bcbfe9088'

/**
 * Returns the `resource_id` of a resource: its id if that is a UUID, otherwise a version 5 UUID
 * (RFC 9562) of `service_name/resource_type/id`.
 */
export function toResourceId(serviceName: string, resourceType: string, id: string): string {
  if (isUuid(id)) return id.toLowerCase()
  return nameBasedUuid(`${serviceName}/${resourceType}/${id}`, resourceNamespace)
}

/** The fields that identify a resource of a kind. Field rules require at least one of them. */
export type ResourceIds = { resource_id?: string | undefined; external_id?: string | undefined }

/** Returns the `resource_id` of a request, or the one derived from its `external_id`. */
export function resolveResourceId(
  { serviceName, resourceType }: Kind,
  { resource_id, external_id }: ResourceIds,
): string {
  return toResourceId(serviceName, resourceType, external_id ?? (resource_id as string))
}

/** Returns what is wrong with the combination of IDs in a request. */
export function findIdViolation(kind: Kind, ids: ResourceIds): FieldViolation | undefined {
  const { resource_id, external_id } = ids
  if (external_id === undefined) return undefined
  if (isUuid(external_id))
    return { field: 'external_id', message: 'must not be a UUID; use resource_id' }
  const id = resolveResourceId(kind, ids)
  if (resource_id === undefined || resource_id.toLowerCase() === id) return undefined
  return { field: 'resource_id', message: `must be ${id}, the UUID of external_id` }
}

/**
 * Identifies a resource of the key's own service or, in development mode, of the service that
 * prefixes the type. Returns undefined if the type names no service.
 */
export function parseResource(
  service: ServicePrincipal | undefined,
  { type, id }: Pick<AccessResource, 'type' | 'id'>,
): (Kind & { resourceId: string; workspace?: string }) | undefined {
  const kind = parseKind(service?.name, type)
  if (!kind) return undefined
  const resourceId = toResourceId(kind.serviceName, kind.resourceType, id)
  if (kind.resourceType !== workspaceType) return { ...kind, resourceId }
  return { ...kind, resourceId, workspace: isUuid(id) ? resourceId : id }
}

/**
 * Splits a resource type into service and type. In development mode, the service precedes the first
 * colon. With a service key, the prefix of its own service is optional, so that clients can send
 * the same type in both modes. `findOtherServiceTypes` finds prefixes of other services.
 */
export function parseKind(serviceName: string | undefined, type: string): Kind | undefined {
  if (serviceName !== undefined) {
    const prefix = `${serviceName}:`
    const resourceType = type.startsWith(prefix) ? type.slice(prefix.length) : type
    return { serviceName, resourceType }
  }
  if (!hasServicePrefix(type)) return undefined
  const colon = type.indexOf(':')
  return { serviceName: type.slice(0, colon), resourceType: type.slice(colon + 1) }
}

/** Returns whether a type has the form `service:type`. */
export function hasServicePrefix(type: string): boolean {
  return /^[^:]+:./s.test(type)
}
