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

/**
 * Returns the query of the CTE `required`: what resources can inherit in services, by the kind whose resources
 * require it, in an order. `services` is SQL for an array of services.
 */
export function selectRequired(services: string): string {
  return `
  select n.kind_id, kind.resource_type, ${requirementArray} as list,
    row_number() over (order by n.kind_id) - 1 as position
  from resource_requirements n join resource_kinds kind on kind.id = n.kind_id
  join resource_conditions c on c.kind_id = n.kind_id and c.name = n.condition
  where n.inherited_in = any(${services}) group by n.kind_id, kind.resource_type`
}

/** SQL for the rows of `required`, as a JSON array of RequiringKind. Null if there are none. */
export const requiringKinds = `(
    select json_agg(json_build_array(resource_type, list) order by position) from required
  )`

/** The columns that conditions read of a resource, beside those that grants depend on. */
export const conditionColumns = ['external_id', 'workspace_id', 'attributes']

/** Returns SQL for what conditions read of a row of `resources`, the values of StoredResource. */
export function storedResource(alias: string): string {
  return `${alias}.resource_id, ${alias}.external_id, ${alias}.workspace_id, ${alias}.owner_id,
      ${alias}.visibility, coalesce(${alias}.attributes, '{}')`
}

/** What conditions read of a stored resource. */
export type StoredResource = [
  id: string,
  externalId: string | null,
  workspaceId: string,
  ownerId: string,
  visibility: string,
  attributes: Record<string, unknown>,
]

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

/** A type with requirements that resources inherit, in the result of `requiringKinds`. */
export type RequiringKind = [resourceType: string, requirements: Requirement[]]

/**
 * An ancestor that requires something, in the column `requiring` of `ancestorsFrom`: the position of its
 * type in `requiringKinds`, and the resource.
 */
export type RequiringAncestor = [kind: number, ...StoredResource]

/**
 * Returns the requirements of a resource: those of its kind, and those that it inherits from
 * `ancestors`, nearest first.
 */
export function joinRequirements(
  own: Requirement[] | null | undefined,
  ancestors: RequiringAncestor[] | null | undefined,
  kinds: RequiringKind[] | null,
): Requirement[] {
  if (!ancestors) return own ?? []
  const ofAncestors = ancestors.flatMap(([kind, ...resource]) => {
    const [resourceType, requirements] = (kinds as RequiringKind[])[kind] as RequiringKind
    const ancestor = { resourceType, resource }
    return requirements.map((requirement) => ({ ...requirement, ancestor }))
  })
  return [...(own ?? []), ...ofAncestors]
}
