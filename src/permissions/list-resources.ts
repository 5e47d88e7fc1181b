import type {
  PermissionPage,
  PermissionPageRequest,
} from '../../gen/daikon/v1/admin_permissions.ts'
import type { ResourcePermissionResponse } from '../../gen/daikon/v1/permissions.ts'
import type { RequestContext } from '../core/request-context.ts'
import {
  type ResourceReference,
  requireResource,
  summarizeResource,
  viewResource,
} from './resource.ts'
import { resolveResourceId } from './resource-id.ts'
import type { PrincipalStore } from './store/principal-store.ts'
import type { ResourceFilter } from './store/resource-list-sql.ts'
import type { ResourceStore } from './store/resource-store.ts'
import type { ShareStore } from './store/share-store.ts'

type ListStores = { resources: ResourceStore; shares: ShareStore }

/** Lists the resources of all services, newest first. Unknown filter values match nothing. */
export async function listPermissions(
  { stores }: RequestContext<ListStores>,
  request: PermissionPageRequest,
): Promise<PermissionPage> {
  const { page, page_size } = request
  const filter: ResourceFilter = {
    workspaceId: request.workspace_id,
    resourceId: request.resource_id,
    ownerId: request.owner_id,
    visibility: request.visibility,
    granteeId: request.grantee_id,
    q: request.q,
    ...(await findKindFilter(stores, request)),
  }
  const found = await stores.resources.listPage(filter, { page, page_size })
  // A subquery of the list would also count the shares of each row that the offset skips.
  const counts = await stores.shares.count(found.items.map(({ id }) => id))
  return {
    ...found,
    items: found.items.map((resource) => ({
      ...summarizeResource(resource),
      share_count: counts.get(resource.id) ?? 0,
    })),
  }
}

async function findKindFilter(
  { resources }: ListStores,
  { service_name, resource_type, external_id }: PermissionPageRequest,
): Promise<ResourceFilter> {
  if ([service_name, resource_type, external_id].every((value) => value === undefined)) return {}
  const kinds = await resources.findKinds({ service_name, resource_type })
  return {
    kindIds: kinds.map(({ id }) => id),
    // External IDs are not indexed. Find the resource IDs that derive from it in each kind.
    resourceIds:
      external_id === undefined
        ? undefined
        : kinds.map((kind) => resolveResourceId(kind, { external_id })),
  }
}

/** Returns a resource with its shares, and on request with the names of its owner and their grantees. */
export async function getResource(
  { stores, principal }: RequestContext<ListStores & { principals: PrincipalStore }>,
  { with_names, ...reference }: ResourceReference & { with_names?: boolean | undefined },
): Promise<ResourcePermissionResponse> {
  const found = await viewResource(stores, await requireResource(stores, principal, reference))
  if (!with_names) return found
  const { owner_id, shares } = found
  const ids = new Set([owner_id, ...shares.map(({ grantee_id }) => grantee_id)])
  const names = await stores.principals.findNames([...ids])
  const owner = names.get(owner_id)
  return {
    ...found,
    owner_name: owner?.name || undefined,
    owner_email: owner?.email ?? undefined,
    shares: shares.map((share) => {
      const grantee = names.get(share.grantee_id)
      return {
        ...share,
        grantee_name: grantee?.name || undefined,
        grantee_email: grantee?.email ?? undefined,
      }
    }),
  }
}
