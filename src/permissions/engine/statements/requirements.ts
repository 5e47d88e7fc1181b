import { ancestorColumns, maxChainLength } from '../chain.ts'

/*
 * What actions require. A requirement binds resources of its type and, if it is inherited, whatever
 * inherits from one of them. All SQL about requirements is here: statements differ only in where they
 * ask.
 */

/** Whether the resource `r` inherits from a parent. */
const inherits = 'r.parent_id is not null and r.inherits'

/** SQL expressions for the kind and the service of resources. */
type KindColumns = { kindId: string; service: string }

/** Returns an SQL condition: whether an action, or any, of a kind has requirements of its own. */
export function hasOwnRequirement(kindId: string, action?: string): string {
  return exists(`n.kind_id = ${kindId}`, action)
}

/**
 * Returns an SQL condition: whether an action, or any, has requirements that resources of a service can
 * inherit. Reads one entry of an index, usually none.
 */
export function hasInheritedRequirement(service: string, action?: string): string {
  return exists(`n.inherited_in = ${service}`, action)
}

/** Returns an SQL condition: whether an action of resources of a kind may have requirements. */
export function mayBeRequired({ kindId, service }: KindColumns, action: string): string {
  return `(${hasOwnRequirement(kindId, action)} or ${hasInheritedRequirement(service, action)})`
}

/** Returns an SQL condition: whether requirements may bind the resource `r`. */
export function isRestricted({ kindId, service }: KindColumns): string {
  return `(${hasOwnRequirement(kindId)} or ${inherits} and ${hasInheritedRequirement(service)})`
}

// `offset 0` prevents the planner from hashing the whole table.
function exists(condition: string, action: string | undefined): string {
  const ofAction = action === undefined ? '' : ` and n.action = ${action}`
  return `exists (
      select from resource_requirements n where ${condition}${ofAction} offset 0
    )`
}

/** An SQL condition: whether requirements bind the first resource of `chain`. */
export const isChainRestricted = `exists (
    select from chain c join resource_requirements n on n.kind_id = c.kind_id
    where c.depth = 1 or n.inherited_in is not null
  )`

const requirementArray = `json_agg(json_build_object('action', n.action, 'condition', n.condition,
      'digest', c.digest) order by n.position)`

/** Returns SQL for the requirements of a kind, or those that match, as a JSON array of Requirement. */
export function requirementList(kindId: string, match = 'true'): string {
  return `(
    select ${requirementArray}
    from resource_requirements n
    join resource_conditions c on c.kind_id = n.kind_id and c.name = n.condition
    where n.kind_id = ${kindId} and ${match}
  )`
}

/** Returns SQL for what conditions read of a row of `resources`, as JSON: StoredResource. */
export function storedResource(alias: string): string {
  const column = (name: string) => `${alias}.${name}`
  return `json_build_object('id', ${column('resource_id')}, 'externalId', ${column('external_id')},
      'workspaceId', ${column('workspace_id')}, 'ownerId', ${column('owner_id')},
      'visibility', ${column('visibility')}, 'attributes', coalesce(${column('attributes')}, '{}'))`
}

/**
 * Returns SQL for the requirements that the resource `r` inherits, nearest ancestor first, as a JSON
 * array of InheritedRequirements. Null without any, and without reading ancestors if resources of the
 * service inherit none. `service` is SQL for the service of `r`.
 */
export function inheritedRequirementList(service: string): string {
  return `case when ${inherits} and ${hasInheritedRequirement(service)} then (
    with recursive ancestor as (
      select ${conditionColumns('a')}, 1 as depth from resources a where a.id = r.parent_id
      union all
      select ${conditionColumns('a')}, ancestor.depth + 1
      from ancestor join resources a on a.id = ancestor.parent_id
      where ancestor.inherits and ancestor.depth < ${maxChainLength - 1}
    )
    select json_agg(json_build_object('resourceType', required.resource_type,
      'resource', ${storedResource('ancestor')}, 'requirements', required.list) order by depth)
    from (
      select n.kind_id, kind.resource_type, ${requirementArray} as list
      from resource_requirements n join resource_kinds kind on kind.id = n.kind_id
      join resource_conditions c on c.kind_id = n.kind_id and c.name = n.condition
      where n.inherited_in = ${service} group by n.kind_id, kind.resource_type offset 0
    ) required join ancestor on ancestor.kind_id = required.kind_id
  ) end`
}

/** Returns the columns that conditions read of a resource, and those that lead to its parent. */
function conditionColumns(alias: string): string {
  return `${ancestorColumns(alias)}, ${alias}.external_id, ${alias}.workspace_id, ${alias}.attributes`
}

/** What conditions read of a stored resource. */
export type StoredResource = {
  id: string
  externalId: string | null
  workspaceId: string
  ownerId: string
  visibility: string
  attributes: Record<string, unknown>
}

/** A resource whose type requires something, with that type. */
export type RequiringResource = { resourceType: string; resource: StoredResource }

/**
 * A condition that an action requires: of the resource that is asked about or, with `ancestor`, of one
 * that it inherits from.
 */
export type Requirement = {
  action: string
  condition: string
  digest: string
  ancestor?: RequiringResource
}

/** The inherited requirements of an ancestor, in the result of `inheritedRequirementList`. */
export type InheritedRequirements = RequiringResource & { requirements: Requirement[] }

/** Returns the requirements of a resource: those of its kind, and those that it inherits. */
export function joinRequirements(
  own: Requirement[] | null | undefined,
  inherited: InheritedRequirements[] | null | undefined,
): Requirement[] {
  if (!inherited) return own ?? []
  const ofAncestors = inherited.flatMap(({ requirements, ...ancestor }) =>
    requirements.map((requirement) => ({ ...requirement, ancestor })),
  )
  return [...(own ?? []), ...ofAncestors]
}
