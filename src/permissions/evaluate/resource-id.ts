import { v5 as nameBasedUuid } from 'uuid'
import type { AccessResource } from '../../../gen/daikon/v1/access.ts'
import type { FieldViolation } from '../../core/errors.ts'
import type { Principal } from '../../core/request-context.ts'
import { isUuid } from '../../core/uuid.ts'

/** A resource type of a service. */
export type Kind = { service_name: string; resource_type: string }

/** The namespace of the name-based UUIDs of resources with other ids. Published: it must never change. */
export const resourceNamespace = 'f8e1572e-33cb-4304-a2f6-032bcbfe9088'

/**
 * Returns the `resource_id` of a resource: its id if that is a UUID, otherwise the UUID of version 5
 * (RFC 9562) of `service_name/resource_type/id`.
 */
export function toResourceId(serviceName: string, resourceType: string, id: string): string {
  if (isUuid(id)) return id.toLowerCase()
  return nameBasedUuid(`${serviceName}/${resourceType}/${id}`, resourceNamespace)
}

/** How a request identifies a resource of a kind: field rules require one of the two. */
export type ResourceIds = { resource_id?: string | undefined; external_id?: string | undefined }

/** Returns the `resource_id` that a request names, or that its `external_id` stands for. */
export function resolveResourceId(
  { service_name, resource_type }: Kind,
  { resource_id, external_id }: ResourceIds,
): string {
  return toResourceId(service_name, resource_type, external_id ?? (resource_id as string))
}

/** Returns what is wrong with the ids that a request names together. */
export function findIdViolation(kind: Kind, ids: ResourceIds): FieldViolation | undefined {
  const { resource_id, external_id } = ids
  if (external_id === undefined) return undefined
  if (isUuid(external_id))
    return { field: 'external_id', message: 'must not be a UUID; use resource_id' }
  const id = resolveResourceId(kind, ids)
  if (resource_id === undefined || resource_id.toLowerCase() === id) return undefined
  return { field: 'resource_id', message: `must be ${id}, the UUID of external_id` }
}

/** Names a resource of the key's own service; in development mode, the type names the service. */
export function nameResource(
  { service }: Principal,
  { type, id }: Pick<AccessResource, 'type' | 'id'>,
): (Kind & { resource_id: string }) | undefined {
  const kind = nameKind(service?.name, type)
  if (!kind) return undefined
  return { ...kind, resource_id: toResourceId(kind.service_name, kind.resource_type, id) }
}

/**
 * Splits the type of a resource in development mode, at the first colon. With a service key, the type may
 * name the key's own service, so that clients send the same in both modes.
 */
export function nameKind(serviceName: string | undefined, type: string): Kind | undefined {
  if (serviceName !== undefined) {
    const prefix = `${serviceName}:`
    const resource_type = type.startsWith(prefix) ? type.slice(prefix.length) : type
    return { service_name: serviceName, resource_type }
  }
  const colon = type.indexOf(':')
  if (colon < 1 || colon === type.length - 1) return undefined
  return { service_name: type.slice(0, colon), resource_type: type.slice(colon + 1) }
}
