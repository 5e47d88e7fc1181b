import type {
  PermissionPage,
  PermissionPageRequest,
} from '../../gen/daikon/v1/admin_permissions.ts'
import type { RequestContext } from '../core/request-context.ts'
import { summarizeResource } from './resource.ts'
import { resolveResourceId } from './resource-id.ts'
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
    throughGroups: request.effective,
    q: request.q,
    ...(await findKindFilter(stores, request)),
  }
  const found = await stores.resources.listPage(filter, { page, page_size })
  // A subquery of the list would also count the shares of each row that the offset skips.
  const counts = await stores.shares.count(found.items.map(({ id }) => id))
  return {
    ...found,
    items: found.items.map(({ widerVisibility, ...resource }) => ({
      ...summarizeResource(resource),
      effective_visibility: widerVisibility?.visibility ?? resource.visibility,
      visible_through: widerVisibility?.source,
      share_count: counts.get(resource.id) ?? 0,
    })),
  }
}

async function findKindFilter(
  { resources }: ListStores,
  { service_name, resource_type, external_id }: PermissionPageRequest,
): Promise<ResourceFilter> {
  if ([service_name, resource_type, external_id].every((value) => value === undefined)) return {}
  const kinds = await resources.findKinds({
    serviceName: service_name,
    resourceType: resource_type,
  })
  return {
    kindIds: kinds.map(({ id }) => id),
    // External IDs are not indexed. Find the resource IDs that derive from it in each kind.
    resourceIds:
      external_id === undefined
        ? undefined
        : kinds.map((kind) => resolveResourceId(kind, { external_id })),
  }
}
