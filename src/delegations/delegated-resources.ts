import type {
  CreateDelegationRequest,
  DelegatedResourceReference,
} from '../../gen/daikon/v1/delegations.ts'
import type { FieldViolation } from '../core/errors.ts'
import type { Engine } from '../permissions/engine/engine.ts'
import { decide } from '../permissions/engine/facts.ts'
import { findIdViolation, resolveResourceId } from '../permissions/resource-id.ts'
import type { Resource, ResourceKey } from '../permissions/store/resource-sql.ts'
import type { ResourceStore } from '../permissions/store/resource-store.ts'

/** Who delegates, and where. */
export type DelegatingPerson = { userId: string; workspaceId: string }

/** Returns what is wrong with the lists of a new delegation. */
export function findListViolations(
  serviceName: string,
  lists: Pick<CreateDelegationRequest, 'actions' | 'resource_types' | 'resources'>,
): FieldViolation[] {
  const { actions, resource_types, resources } = lists
  return [
    ...findDuplicates('actions', actions?.values ?? []),
    ...findDuplicates('resource_types', resource_types?.values ?? []),
    ...findReferenceViolations(serviceName, resources?.values ?? []),
  ]
}

function findDuplicates(field: string, names: string[]): FieldViolation[] {
  return names.flatMap((name, index) =>
    names.indexOf(name) < index ? [{ field: `${field}[${index}]`, message: 'is duplicated' }] : [],
  )
}

/** Returns what is wrong with the IDs of resources: their form, or that they are duplicated. */
function findReferenceViolations(
  serviceName: string,
  references: DelegatedResourceReference[],
): FieldViolation[] {
  const keys = new Set<string>()
  return references.flatMap((reference, index) => {
    const field = `resources[${index}]`
    const kind = { serviceName, resourceType: reference.resource_type }
    const violation = findIdViolation(kind, reference)
    if (violation) return [{ ...violation, field: `${field}.${violation.field}` }]
    const key = `${resolveResourceId(kind, reference)} ${reference.resource_type}`
    if (keys.has(key)) return [{ field, message: 'is duplicated' }]
    keys.add(key)
    return []
  })
}

/**
 * Returns the resources of a service that references name, in their order, or undefined if one of them is
 * unknown, of another workspace or not visible to the person.
 */
export async function findVisibleResources(
  { resources, engine }: { resources: ResourceStore; engine: Pick<Engine, 'loadBits'> },
  { userId, workspaceId }: DelegatingPerson,
  serviceName: string,
  references: DelegatedResourceReference[],
): Promise<Resource[] | undefined> {
  const keys = toKeys(serviceName, references)
  const found = (await resources.findAll(keys)).filter(
    (resource) => resource?.workspaceId === workspaceId,
  ) as Resource[]
  if (found.length < keys.length) return undefined
  const subject = { userId, workspaceId }
  const bits = await engine.loadBits(keys.map((key) => ({ ...key, action: 'view', subject })))
  return bits.every((of) => decide('view', of)) ? found : undefined
}

/** Returns the keys of the resources that references name. */
export function toKeys(
  serviceName: string,
  references: DelegatedResourceReference[],
): ResourceKey[] {
  return references.map((reference) => {
    const kind = { serviceName, resourceType: reference.resource_type }
    return { ...kind, resourceId: resolveResourceId(kind, reference) }
  })
}
