import type { RegisterResourceRequest } from '../../gen/daikon/v1/permissions.ts'
import { type FieldViolation, invalidArgument } from '../core/errors.ts'
import { mapInTurns } from '../core/turns.ts'
import { findAttributesViolation, storedAttributes } from './attribute-values.ts'
import type { Kind } from './engine/question.ts'
import type { ErrorNaming } from './error-naming.ts'
import { maxViolations } from './item-errors.ts'
import { findOwnerIds, ownerFieldOf } from './owners.ts'
import { parentCycle } from './parents.ts'
import { findIdViolation, resolveResourceId } from './resource-id.ts'
import type { PrincipalStore } from './store/principal-store.ts'
import type { NewResource } from './store/registration-store.ts'
import type { ResourceKey } from './store/resource-sql.ts'

/** A resource to register. UUIDs are in lower case. */
export type Registration = Omit<NewResource, 'id' | 'parentId' | 'isParent' | 'parent'> & {
  /** The index of the resource in the request, from 0. */
  index: number
  /** The field of the request that names the owner. */
  ownerField: string
  parent: ResourceKey | undefined
}

/**
 * Reads registrations, which may refer to each other as parents, and finds their owners.
 *
 * @throws ServiceError `invalid_argument` for invalid, inconsistent or duplicated IDs,
 * `already_exists` if a resource is its own parent or ancestor
 */
export async function readRegistrations(
  { principals }: { principals: PrincipalStore },
  requests: RegisterResourceRequest[],
  { field, detail }: ErrorNaming,
): Promise<Registration[]> {
  const found = await mapInTurns(requests, (request, index) =>
    findViolations(request).map((violation) => ({
      ...violation,
      field: field(index, violation.field),
    })),
  )
  const violations = found.flat()
  if (violations.length > 0) throw invalidArgument(...violations.slice(0, maxViolations))

  const ownerIds = await findOwnerIds(principals, requests)
  const registrations = await mapInTurns(requests, (request, index) =>
    readRegistration(request, index, ownerIds[index] as string),
  )
  const indexes = indexByKey(registrations)
  const duplicates = registrations.filter((item) => indexes.get(keyOf(item)) !== item.index)
  if (duplicates.length > 0) {
    throw invalidArgument(
      ...duplicates.slice(0, maxViolations).map(({ index, externalId }) => ({
        field: field(index, externalId === undefined ? 'resource_id' : 'external_id'),
        message: 'is duplicated',
      })),
    )
  }
  const parents = registrations.map(({ parent }) => parent && indexes.get(keyOf(parent)))
  const cycle = findCycles(parents).map((index) => field(index, 'parent'))
  if (cycle.length > 0) throw parentCycle((message) => detail(cycle, message))
  return registrations
}

/** Returns a map from `keyOf` to the index of the first registration with that key. */
export function indexByKey(registrations: Registration[]): Map<string, number> {
  return new Map(registrations.toReversed().map((item) => [keyOf(item), item.index]))
}

/** Returns a map key for a resource. None of its parts can contain the line break between them. */
export function keyOf({ serviceName, resourceType, resourceId }: ResourceKey): string {
  return `${serviceName}\n${resourceType}\n${resourceId}`
}

function readRegistration(
  request: RegisterResourceRequest,
  index: number,
  ownerId: string,
): Registration {
  const { parent } = request
  const kind = kindOf(request)
  const parentKind = parent && { ...kind, resourceType: parent.resource_type }
  return {
    index,
    ...kind,
    resourceId: resolveResourceId(kind, request),
    externalId: request.external_id,
    workspaceId: request.workspace_id.toLowerCase(),
    ownerId,
    ownerField: ownerFieldOf(request),
    visibility: (request.visibility ?? 'private') as NewResource['visibility'],
    attributes: storedAttributes(request.attributes ?? {}),
    displayName: request.display_name?.trim(),
    parent: parentKind && {
      ...parentKind,
      resourceId: resolveResourceId(parentKind, parent),
    },
  }
}

function kindOf({ service_name, resource_type }: RegisterResourceRequest): Kind {
  return { serviceName: service_name, resourceType: resource_type }
}

function findViolations(request: RegisterResourceRequest): FieldViolation[] {
  const kind = kindOf(request)
  const violation = findIdViolation(kind, request)
  const violations = violation ? [violation] : []
  const message = findAttributesViolation(request.attributes ?? {})
  if (message) violations.push({ field: 'attributes', message })
  const { parent } = request
  if (!parent) return violations
  const parentViolation = findIdViolation({ ...kind, resourceType: parent.resource_type }, parent)
  if (!parentViolation) return violations
  return [...violations, { ...parentViolation, field: `parent.${parentViolation.field}` }]
}

/** Returns the indexes of the items that are their own parent or ancestor, in ascending order. */
function findCycles(parents: (number | undefined)[]): number[] {
  const visited = new Set<number>()
  const cycles: number[] = []
  for (const start of parents.keys()) {
    const path: number[] = []
    let index: number | undefined = start
    while (index !== undefined && !visited.has(index)) {
      visited.add(index)
      path.push(index)
      index = parents[index]
    }
    const first = index === undefined ? -1 : path.indexOf(index)
    if (first >= 0) cycles.push(...path.slice(first))
  }
  return cycles.toSorted((a, b) => a - b)
}
