import type {
  InheritedGrants,
  ResourcePermissionResponse,
} from '../../gen/daikon/v1/permissions.ts'
import type { RequestContext } from '../core/request-context.ts'
import {
  loadResourceResponse,
  type ResourceReference,
  requireResource,
  toShareResponse,
} from './resource.ts'
import type { PrincipalName, PrincipalStore } from './store/principal-store.ts'
import type { Resource } from './store/resource-sql.ts'
import type { ResourceStore } from './store/resource-store.ts'
import type { ShareStore } from './store/share-store.ts'

type GetStores = { resources: ResourceStore; shares: ShareStore; principals: PrincipalStore }

/**
 * Returns a resource with its shares, and on request with what it inherits, and with the names of
 * owners and grantees.
 */
export async function getResource(
  { stores, principal }: RequestContext<GetStores>,
  { with_names, with_ancestors, ...reference }: ResourceReference & RequestedParts,
): Promise<ResourcePermissionResponse> {
  const resource = await requireResource(stores, principal, reference)
  const ancestors = with_ancestors ? await listInherited(stores, resource) : []
  const found = { ...(await loadResourceResponse(stores, resource)), ancestors }
  if (!with_names) return found
  const holders = [found, ...ancestors]
  const ids = holders.flatMap(({ owner_id, shares }) => [
    owner_id,
    ...shares.map(({ grantee_id }) => grantee_id),
  ])
  const names = await stores.principals.findNames([...new Set(ids)])
  return {
    ...withNames(found, names),
    ancestors: ancestors.map((ancestor) => withNames(ancestor, names)),
  }
}

type RequestedParts = { with_names?: boolean | undefined; with_ancestors?: boolean | undefined }

/** Returns what a resource inherits, nearest ancestor first. */
async function listInherited(
  { resources, shares }: GetStores,
  resource: Resource,
): Promise<InheritedGrants[]> {
  const ancestors =
    resource.inherits && resource.parentId ? await resources.findAncestors(resource.id) : []
  const sharesOf = await shares.listAll(ancestors)
  return ancestors.map((ancestor, index) => {
    return {
      permission_id: ancestor.id,
      resource_type: ancestor.resourceType,
      resource_id: ancestor.resourceId,
      external_id: ancestor.externalId ?? undefined,
      display_name: ancestor.displayName ?? undefined,
      owner_id: ancestor.ownerId,
      visibility: ancestor.visibility,
      shares: (sharesOf[index] ?? []).map(toShareResponse),
    }
  })
}

type GrantHolder = Pick<InheritedGrants, 'owner_id' | 'owner_name' | 'owner_email' | 'shares'>

/** Adds the names of the owner and the grantees. */
function withNames<Holder extends GrantHolder>(
  holder: Holder,
  names: Map<string, PrincipalName>,
): Holder {
  const owner = names.get(holder.owner_id)
  return {
    ...holder,
    owner_name: owner?.name || undefined,
    owner_email: owner?.email ?? undefined,
    shares: holder.shares.map((share) => {
      const grantee = names.get(share.grantee_id)
      return {
        ...share,
        grantee_name: grantee?.name || undefined,
        grantee_email: grantee?.email ?? undefined,
      }
    }),
  }
}
