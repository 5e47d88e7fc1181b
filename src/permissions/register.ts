import type { EntityManager } from '@mikro-orm/postgresql'
import { v7 as uuid } from 'uuid'
import type {
  GetResourceRequest,
  ParentResource,
  RegisterResourceRequest,
  ResourcePermissionResponse,
  UnregisterRequest,
  UnregisterResponse,
} from '../../gen/daikon/v1/permissions.ts'
import { actorOf, recordActivity } from '../activity/record-activity.ts'
import { invalidArgument, ServiceError } from '../core/errors.ts'
import { type QuotaContext, quotaExceeded } from '../core/quotas.ts'
import type { Principal, RequestContext, WriteContext } from '../core/request-context.ts'
import { isUuid } from '../core/uuid.ts'
import { batched } from '../database/batched-query.ts'
import { violates } from '../database/database-errors.ts'
import { Member } from '../database/entities/people.ts'
import { query } from '../database/query.ts'
import { inTransaction } from '../database/transaction.ts'
import { requireResourceQuota } from '../workspaces/quotas.ts'
import { requireWorkspaceExists } from '../workspaces/workspaces.ts'
import { toResourceId } from './evaluate/resource-id.ts'
import { deleteTreeSql, lockTreesSql, registerChildSql } from './parent-queries.ts'
import { parentCycle, prepareParent, unknownParent } from './parents.ts'
import { deleteResourceSql, insertKindSql, type Resource, registerResource } from './queries.ts'
import {
  findResource,
  requireManageableResource,
  resourceNotFound,
  viewFacts,
  viewResource,
} from './resource.ts'

/** A registration whose resource has its UUID. */
type Registration = RegisterResourceRequest & { resource_id: string }

type RegisterContext = WriteContext & QuotaContext

/** Registers a resource. If it is registered already, returns it as it is now. */
export async function register(
  context: RegisterContext,
  registration: RegisterResourceRequest,
): Promise<ResourcePermissionResponse> {
  const { em } = context
  const request = { ...registration, resource_id: requireResourceId(registration) }
  const inserted = await insert(context, request)
  if (inserted) return { ...viewFacts(inserted), shares: [] }
  const resource = (await findResource(em, request)) ?? (await insertWithKind(context, request))
  const isSame =
    resource.workspace_id === request.workspace_id.toLowerCase() &&
    resource.owner_id === request.owner_id.toLowerCase()
  if (isSame) return viewResource(em, resource)
  const detail = 'The resource is registered with another workspace or owner'
  throw new ServiceError('already_exists', 'RESOURCE_REGISTERED', detail)
}

/** Returns a resource by the names that its service registered it with. */
export async function getResource(
  { em }: RequestContext,
  request: GetResourceRequest,
): Promise<ResourcePermissionResponse> {
  const resource = await findResource(em, request)
  if (!resource) throw resourceNotFound()
  return viewResource(em, resource)
}

/** Deletes a resource and its shares, and everything below it if the request says so. */
export async function unregister(
  { em, principal }: RequestContext,
  request: UnregisterRequest,
): Promise<UnregisterResponse> {
  const resource = await requireManageableResource(em, principal, request)
  if (request.cascade) await inTransaction(em, (em) => deleteTree(em, principal, resource))
  else await inTransaction(em, (em) => query(em, deleteResourceSql, [resource.id]))
  return {}
}

/** Returns `resource_id`, or the UUID that `external_id` stands for. */
function requireResourceId({
  service_name,
  resource_type,
  resource_id,
  external_id,
}: RegisterResourceRequest): string {
  if (external_id === undefined) {
    if (resource_id !== undefined) return resource_id
    throw invalidArgument({ field: 'resource_id', message: 'is required' })
  }
  if (isUuid(external_id)) {
    const message = 'must not be a UUID; use resource_id'
    throw invalidArgument({ field: 'external_id', message })
  }
  const id = toResourceId(service_name, resource_type, external_id)
  if (resource_id === undefined || resource_id.toLowerCase() === id) return id
  const message = `must be ${id}, the UUID of external_id`
  throw invalidArgument({ field: 'resource_id', message })
}

async function deleteTree(
  em: EntityManager,
  principal: Principal,
  { id, workspace_id, service_name, resource_type, resource_id }: Resource,
): Promise<void> {
  await query(em, lockTreesSql, [workspace_id])
  type Counts = { resources: number; shares: number }
  const [deleted] = await query<Counts>(em, deleteTreeSql, [id])
  if (!deleted?.resources) throw resourceNotFound()
  await recordActivity(em, actorOf(principal), {
    action: 'permission.tree_unregistered',
    targetId: id,
    workspaceId: workspace_id,
    detail: {
      service_name,
      resource_type,
      resource_id,
      descendants: String(deleted.resources - 1),
      shares: String(deleted.shares),
    },
  })
}

/** Inserts a resource whose kind may not exist yet, or throws the reason why it cannot be inserted. */
async function insertWithKind(context: RegisterContext, request: Registration): Promise<Resource> {
  const { em } = context
  await requireWorkspaceAndOwner(em, request)
  const kind = [request.service_name, request.resource_type]
  await inTransaction(em, (em) => query(em, insertKindSql, kind))
  const resource = (await insert(context, request)) ?? (await findResource(em, request))
  if (!resource) throw resourceNotFound()
  return resource
}

async function requireWorkspaceAndOwner(em: EntityManager, request: RegisterResourceRequest) {
  const { workspace_id, owner_id } = request
  if (await em.count(Member, { workspace_id, user_id: owner_id })) return
  await requireWorkspaceExists(em, workspace_id)
  throw invalidArgument({ field: 'owner_id', message: 'must be a member of the workspace' })
}

/** Returns undefined if the resource exists, its kind does not, or its owner is not a member. */
async function insert(
  context: RegisterContext,
  request: Registration,
): Promise<Resource | undefined> {
  const { service_name, resource_type, visibility = 'private', parent } = request
  const { em, quotas } = context
  if (parent) return insertChild(context, request, parent)
  try {
    const quota = quotas.MAX_RESOURCES_PER_WORKSPACE
    const item = { ...request, id: uuid(), visibility, quota }
    const row = await batched<Resource & { is_over_quota: boolean }>(em, registerResource, item)
    if (!row) return undefined
    const { is_over_quota, ...inserted } = row
    if (!is_over_quota) return { ...inserted, service_name, resource_type }
    if (await findResource(em, request)) return undefined
    throw quotaExceeded(quotas, 'MAX_RESOURCES_PER_WORKSPACE')
  } catch (error) {
    // The workspace or the owner was removed concurrently.
    if (violates(error, 'foreign')) throw resourceNotFound()
    throw error
  }
}

/** As `insert`, below a parent. */
async function insertChild(
  { em, principal, quotas }: RegisterContext,
  request: Registration,
  names: ParentResource,
): Promise<Resource | undefined> {
  const { service_name, resource_type, resource_id, workspace_id, owner_id } = request
  const isOwnParent =
    names.resource_type === resource_type &&
    names.resource_id.toLowerCase() === resource_id.toLowerCase()
  if (isOwnParent) throw parentCycle()
  if (await findResource(em, request)) return undefined
  try {
    return await inTransaction(em, async (em) => {
      const parent = await prepareParent(em, principal, request, names)
      if (!parent) {
        await requireWorkspaceAndOwner(em, request)
        throw unknownParent()
      }
      await requireResourceQuota(em, quotas, workspace_id)
      const kind = [service_name, resource_type]
      const { visibility = 'private' } = request
      const place = [workspace_id, owner_id, visibility, parent.id]
      const values = [uuid(), ...kind, resource_id, ...place, request.external_id]
      const [inserted] = await query<Resource>(em, registerChildSql, values)
      return inserted && { ...inserted, service_name, resource_type, parent }
    })
  } catch (error) {
    if (!violates(error, 'foreign')) throw error
    // The parent, the workspace or the owner was removed concurrently.
    await requireWorkspaceAndOwner(em, request)
    throw unknownParent()
  }
}
