import type { RegisterResourceRequest } from '../../gen/daikon/v1/permissions.ts'
import { type FieldViolation, invalidArgument } from '../core/errors.ts'
import type { Visibility } from '../database/entities/resources.ts'
import { findIdViolation, resolveResourceId } from './evaluate/resource-id.ts'
import { parentCycle } from './parents.ts'
import type { ResourceKey } from './resource.ts'

/** A resource to register. UUIDs are in lower case. */
export type Registration = ResourceKey & {
  /** The index of the resource in the request, from 0. */
  index: number
  external_id: string | undefined
  workspace_id: string
  owner_id: string
  visibility: Visibility
  parent: ResourceKey | undefined
}

/** How errors refer to the fields of a registration. */
export type ErrorNaming = {
  field(index: number, name: string): string
  /** Prefixes a message with the fields that it is about. */
  detail(fields: string[], message: string): string
}

/** Names fields of a single registration, such as `owner_id`. */
export const singleNaming: ErrorNaming = {
  field: (_place, name) => name,
  detail: (_fields, message) => message,
}

/** Names fields of a batch, such as `resources[3].owner_id`. */
export const batchNaming: ErrorNaming = {
  field: (index, name) => (name ? `resources[${index}].${name}` : `resources[${index}]`),
  detail(fields, message) {
    const omitted = fields.length - maxNamedFields
    const more = omitted > 0 ? ` and ${omitted} more` : ''
    return `${fields.slice(0, maxNamedFields).join(', ')}${more}: ${message}`
  },
}

const maxNamedFields = 10

/** The maximum number of violations in one error. */
const maxViolations = 1000

/**
 * Reads registrations, which may refer to each other as parents.
 *
 * @throws ServiceError `invalid_argument` for invalid, inconsistent or duplicated IDs,
 * `already_exists` if a resource is its own parent or ancestor
 */
export function readRegistrations(
  requests: RegisterResourceRequest[],
  { field, detail }: ErrorNaming,
): Registration[] {
  const violations = requests.flatMap((request, index) =>
    findIdViolations(request).map((violation) => ({
      ...violation,
      field: field(index, violation.field),
    })),
  )
  if (violations.length > 0) throw invalidArgument(...violations.slice(0, maxViolations))

  const registrations = requests.map(readRegistration)
  const indexes = indexByKey(registrations)
  const duplicates = registrations.filter((item) => indexes.get(keyOf(item)) !== item.index)
  if (duplicates.length > 0) {
    throw invalidArgument(
      ...duplicates.slice(0, maxViolations).map(({ index, external_id }) => ({
        field: field(index, external_id === undefined ? 'resource_id' : 'external_id'),
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
export function keyOf({ service_name, resource_type, resource_id }: ResourceKey): string {
  return `${service_name}\n${resource_type}\n${resource_id}`
}

function readRegistration(request: RegisterResourceRequest, index: number): Registration {
  const { service_name, resource_type, external_id, workspace_id, owner_id, parent } = request
  const parentKind = parent && { service_name, resource_type: parent.resource_type }
  return {
    index,
    service_name,
    resource_type,
    resource_id: resolveResourceId(request, request),
    external_id,
    workspace_id: workspace_id.toLowerCase(),
    owner_id: owner_id.toLowerCase(),
    visibility: (request.visibility ?? 'private') as Visibility,
    parent: parentKind && { ...parentKind, resource_id: resolveResourceId(parentKind, parent) },
  }
}

function findIdViolations(request: RegisterResourceRequest): FieldViolation[] {
  const violation = findIdViolation(request, request)
  const violations = violation ? [violation] : []
  const { service_name, parent } = request
  if (!parent) return violations
  const kind = { service_name, resource_type: parent.resource_type }
  const parentViolation = findIdViolation(kind, parent)
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
