import { isUuid } from '../../core/uuid.ts'
import type { Mapping, ResourceMapping } from './mapping.ts'
import type { Row, UserName } from './plan.ts'
import { hasTrait, nameOf, type ObjectName, type Place, type Tuple } from './tuple.ts'

/** A resource as far as tuples have described it. */
export type Draft = {
  name: ObjectName
  mapping: ResourceMapping
  place: Place
  workspace?: { slug: string; place: Place }
  owner?: { user: UserName; place: Place }
  parent?: { name: ObjectName; place: Place }
  visibility?: { value: string; place: Place }
  /** By grantee. */
  shares: Map<string, Share>
}

export type Grantee =
  | { grantee_email: string }
  | { grantee_external_id: string }
  | { group_name: string }

export type Share = {
  place: Place
  grantee: Grantee
  permission: string
  condition: Tuple['condition']
  expiresAt: string | undefined
}

/**
 * Returns the share that grants what two shares with the same grantee grant, because a grantee has
 * one share of a resource; undefined if there is none.
 */
export function mergeShares(first: Share | undefined, second: Share): Share | undefined {
  if (!first || includes(second, first)) return second
  return includes(first, second) ? first : undefined
}

function includes(share: Share, other: Share): boolean {
  if (!hasTrait(share) && share.permission === 'edit' && other.permission === 'view') return true
  const [left, right] = [share, other].map(({ permission, condition, expiresAt }) =>
    JSON.stringify([permission, condition, expiresAt]),
  )
  return left === right || (!hasTrait(share) && share.permission === other.permission)
}

/** Returns a resource with the fields of the import. */
export function toResource(
  { resources }: Mapping,
  { name, mapping, place, workspace, parent, visibility }: Draft,
  slug: string,
  owner: { user: UserName; place: Place },
): Row {
  const [ownerName, ownerId] = Object.entries(owner.user)[0] as [string, string]
  const places = new Map([[`owner_${ownerName}`, owner.place]])
  if (workspace) places.set('workspace_slug', workspace.place)
  if (parent) places.set('parent', parent.place)
  if (visibility) places.set('visibility', visibility.place)
  const parentType = parent && resources.get(parent.name.type)
  const fields = {
    ...nameResource(name, mapping),
    workspace_slug: slug,
    [`owner_${ownerName}`]: ownerId,
    ...(visibility && { visibility: visibility.value }),
    ...(parent &&
      parentType && {
        parent: { resource_type: typeOf(parent.name, parentType), ...idOf(parent.name) },
      }),
  }
  return {
    name: nameOf(name),
    ...(parent && { parent: nameOf(parent.name) }),
    place,
    places,
    fields,
  }
}

/** Returns a share with the fields of the import. */
export function toShare({ name, mapping }: Draft, share: Share): Row {
  const { place, grantee, permission, condition, expiresAt } = share
  const isPermission = permission === 'view' || permission === 'edit'
  const fields = {
    ...nameResource(name, mapping),
    ...grantee,
    [isPermission ? 'permission' : 'role']: permission,
    ...(condition && { condition: condition.name, params: condition.context }),
    ...(expiresAt && { expires_at: expiresAt }),
  }
  return { name: nameOf(name), place, places: new Map(), fields }
}

function nameResource(name: ObjectName, mapping: ResourceMapping): Record<string, string> {
  return { service_name: mapping.service, resource_type: typeOf(name, mapping), ...idOf(name) }
}

function typeOf({ type }: ObjectName, mapping: ResourceMapping): string {
  return mapping.type ?? type
}

function idOf({ id }: ObjectName): Record<string, string> {
  return isUuid(id) ? { resource_id: id } : { external_id: id }
}
