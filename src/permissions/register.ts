import type { EntityManager } from '@mikro-orm/postgresql'
import { v7 as uuid } from 'uuid'
import type {
  GetResourceRequest,
  RegisterResourceRequest,
  ResourcePermissionResponse,
  UnregisterRequest,
  UnregisterResponse,
} from '../../gen/daikon/v1/permissions.ts'
import { invalidArgument, ServiceError } from '../core/errors.ts'
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import { isUuid } from '../core/uuid.ts'
import { batched } from '../database/batched-query.ts'
import { violates } from '../database/database-errors.ts'
import { Member } from '../database/entities/people.ts'
import { query } from '../database/query.ts'
import { inTransaction } from '../database/transaction.ts'
import { requireWorkspaceExists } from '../workspaces/workspaces.ts'
import { toResourceId } from './evaluate/resource-id.ts'
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

/** Registers a resource. If it is registered already, returns it as it is now. */
export async function register(
  { em }: WriteContext,
  registration: RegisterResourceRequest,
): Promise<ResourcePermissionResponse> {
  const request = { ...registration, resource_id: requireResourceId(registration) }
  const inserted = await insert(em, request)
  if (inserted) return { ...viewFacts(inserted), shares: [] }
  const resource = (await findResource(em, request)) ?? (await insertWithKind(em, request))
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

/** Deletes a resource and its shares. */
export async function unregister(
  { em, principal }: RequestContext,
  request: UnregisterRequest,
): Promise<UnregisterResponse> {
  const { id } = await requireManageableResource(em, principal, request)
  await inTransaction(em, (em) => query(em, deleteResourceSql, [id]))
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

/** Inserts a resource whose kind may not exist yet, or throws the reason why it cannot be inserted. */
async function insertWithKind(em: EntityManager, request: Registration): Promise<Resource> {
  await requireWorkspaceAndOwner(em, request)
  const kind = [request.service_name, request.resource_type]
  await inTransaction(em, (em) => query(em, insertKindSql, kind))
  const resource = (await insert(em, request)) ?? (await findResource(em, request))
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
async function insert(em: EntityManager, request: Registration): Promise<Resource | undefined> {
  const { service_name, resource_type, visibility = 'private' } = request
  try {
    const item = { ...request, id: uuid(), visibility }
    const inserted = await batched<Resource>(em, registerResource, item)
    return inserted && { ...inserted, service_name, resource_type }
  } catch (error) {
    // The workspace or the owner was removed concurrently.
    if (violates(error, 'foreign')) throw resourceNotFound()
    throw error
  }
}
