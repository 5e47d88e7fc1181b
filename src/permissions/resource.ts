import type { ResourcePermissionResponse, ShareResponse } from '../../gen/daikon/v1/permissions.ts'
import { ServiceError } from '../core/errors.ts'
import type { Principal } from '../core/request-context.ts'
import type { Role } from '../core/roles.ts'
import { isoTime } from '../database/sql-values.ts'
import { coversWorkspace, grant, isAllowed } from './access.ts'
import { reasons } from './reasons.ts'
import { toResourceId } from './resource-id.ts'
import { type ActingUser, findRight, requireCovered, requirementNotMet } from './rights.ts'
import { type Resource, type ResourceKey, toWireKey } from './store/resource-sql.ts'
import type { ResourceStore } from './store/resource-store.ts'
import type { Share, ShareStore } from './store/share-store.ts'

/**
 * Identifies a resource by `permission_id` or by service, type and ID, which is a UUID or an external
 * ID. Field rules require one of them.
 */
export type ResourceReference = {
  permission_id?: string | undefined
  service_name?: string | undefined
  resource_type?: string | undefined
  resource_id?: string | undefined
}

/** The members of a message that identify a resource. */
export type NaturalKey = { service_name: string; resource_type: string; resource_id: string }

/** Returns a key, whose `resource_id` may also be the ID that the resource has in its service. */
export function toStoreKey({ service_name, resource_type, resource_id }: NaturalKey): ResourceKey {
  return {
    serviceName: service_name,
    resourceType: resource_type,
    resourceId: toResourceId(service_name, resource_type, resource_id),
  }
}

/** What conditions read of a request that needs a right. */
export type RequestedContext = { context?: Record<string, unknown> | undefined }

/**
 * Returns the resource that a request identifies.
 *
 * @throws ServiceError `not_found` if the resource does not exist, or belongs to a different
 * workspace than the user's token or to a different service than the service key
 */
export async function requireResource(
  { resources }: { resources: ResourceStore },
  principal: Principal,
  { permission_id, service_name, resource_type, resource_id }: ResourceReference,
): Promise<Resource> {
  const resource =
    permission_id === undefined
      ? await resources.findByKey(
          toStoreKey({ service_name, resource_type, resource_id } as NaturalKey),
        )
      : await resources.find(permission_id)
  if (!resource || !isVisibleTo(principal, resource)) throw resourceNotFound()
  return resource
}

/** Returns whether a resource is of the service of the key and the workspace of the token. */
export function isVisibleTo({ service, user }: Principal, resource: Resource): boolean {
  const isOfService = service?.name === undefined || service.name === resource.serviceName
  return isOfService && (!user || user.workspaceId === resource.workspaceId)
}

/**
 * Returns a resource to change. If the call carries a user's token, the user must be allowed to
 * manage the resource. Without one, the service or administrator is responsible.
 *
 * @throws ServiceError `not_found` like `requireResource`, `permission_denied` if the user may not
 * perform the action `manage`
 */
export async function requireManageableResource(
  stores: { resources: ResourceStore },
  principal: Principal,
  reference: ResourceReference & RequestedContext,
): Promise<Resource> {
  const resource = await requireResource(stores, principal, reference)
  await requireManage(stores, principal, resource, reference)
  return resource
}

/** The stores with which rights are decided. */
type RightStores = { resources: ResourceStore }

/**
 * Requires that the user may manage a resource, and that the delegation by which an agent acts covers
 * that. Does nothing if the call has no user.
 *
 * @throws ServiceError `permission_denied`
 */
export async function requireManage(
  stores: RightStores,
  { user }: Principal,
  resource: Resource,
  { context }: RequestedContext,
): Promise<void> {
  if (!user) return
  await requireUserToManage(stores, user, resource, context)
  await requireCovered(stores.resources, user, resource, 'manage')
}

async function requireUserToManage(
  { resources }: RightStores,
  user: ActingUser,
  resource: Resource,
  context: RequestedContext['context'],
): Promise<void> {
  const own = user.id === resource.ownerId ? grant.owner : 0
  const isCertain = !resource.isRestricted
  if (isCertain && isAllowed(user.role, 'manage', grant.registered | own)) return
  const right = await findRight(resources, user, resource, 'manage', context)
  if (right.isAllowed) return
  const notTheOwner = new ServiceError(
    reasons.NOT_THE_OWNER,
    "Only the resource's owner, an owner or admin of its workspace, or a user whose role includes manage may do this",
  )
  throw requirementNotMet(right, 'manage') ?? notTheOwner
}

/**
 * Requires that the user owns a resource or an ancestor that it inherits from, or is an owner or
 * admin of the workspace: a role that contains `manage` is not enough. The requirements of `manage`
 * bind, too, and a delegation must cover `manage`. Does nothing if the call has no user.
 */
export async function requireOwnership(
  stores: RightStores,
  { user }: Principal,
  resource: Resource,
  { context }: RequestedContext,
): Promise<void> {
  if (!user) return
  await requireUserToOwn(stores, user, resource, context)
  await requireCovered(stores.resources, user, resource, 'manage')
}

async function requireUserToOwn(
  { resources }: RightStores,
  user: ActingUser,
  resource: Resource,
  context: RequestedContext['context'],
): Promise<void> {
  const isOwner = coversWorkspace(user.role as Role) || user.id === resource.ownerId
  if (isOwner && !resource.isRestricted) return
  const right = await findRight(resources, user, resource, 'manage', context)
  const unmet = requirementNotMet(right, 'manage')
  if (unmet) throw unmet
  if (isOwner || right.bits & grant.owner) return
  throw new ServiceError(reasons.NOT_THE_OWNER)
}

/** Returns whether a resource has the workspace and owner of a registration. */
export function matchesRegistration(
  resource: Resource,
  { workspaceId, ownerId }: Pick<Resource, 'workspaceId' | 'ownerId'>,
): boolean {
  return resource.workspaceId === workspaceId && resource.ownerId === ownerId
}

/** Loads the shares of a resource and builds the response for both. */
export async function loadResourceResponse(
  { shares }: { shares: ShareStore },
  resource: Resource,
): Promise<ResourcePermissionResponse> {
  return toResourceResponse(resource, await shares.list(resource))
}

/** Builds the response for a resource and its shares. */
export function toResourceResponse(
  resource: Resource,
  shares: Share[],
): ResourcePermissionResponse {
  return {
    ...summarizeResource(resource),
    attributes: resource.attributes ?? {},
    shares: shares.map(toShareResponse),
    ancestors: [],
  }
}

/** Builds the part of the response for a resource that lists contain, too. */
export function summarizeResource(
  resource: Resource,
): Omit<ResourcePermissionResponse, 'attributes' | 'shares' | 'ancestors'> {
  return {
    id: resource.id,
    ...toWireKey(resource),
    workspace_id: resource.workspaceId,
    owner_id: resource.ownerId,
    visibility: resource.visibility,
    created_at: isoTime(resource.createdAt),
    external_id: resource.externalId ?? undefined,
    display_name: resource.displayName ?? undefined,
    parent: resource.parent ?? undefined,
    inherits: resource.inherits,
  }
}

export function toShareResponse(share: Share): ShareResponse {
  return {
    id: share.id,
    grantee_type: share.userId ? 'user' : 'group',
    grantee_id: share.userId ?? share.groupId ?? '',
    ...readPermission(share.permission),
    ...(share.condition && { condition: share.condition }),
    granted_by: share.grantedBy ?? '',
    granted_at: isoTime(share.grantedAt),
    ...(share.expiresAt !== null && { expires_at: isoTime(share.expiresAt) }),
  }
}

/** Returns the permission or role that a share grants. No role is named like a permission. */
export function readPermission(permission: string): Pick<ShareResponse, 'permission' | 'role'> {
  const isRole = permission !== 'view' && permission !== 'edit'
  return isRole ? { permission: '', role: permission } : { permission }
}

export function resourceNotFound(): ServiceError {
  return new ServiceError(reasons.RESOURCE_NOT_FOUND)
}
