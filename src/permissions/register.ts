import type { EntityManager } from '@mikro-orm/postgresql'
import { v7 as uuid } from 'uuid'
import type {
  RegisterBatchRequest,
  RegisterBatchResponse,
  RegisterResourceRequest,
  ResourcePermissionResponse,
} from '../../gen/daikon/v1/permissions.ts'
import { type QuotaContext, type Quotas, quotaExceeded } from '../core/quotas.ts'
import type { WriteContext } from '../core/request-context.ts'
import { batched } from '../database/batched-query.ts'
import { violates } from '../database/database-errors.ts'
import { type Resource, registerResource } from './queries.ts'
import { registerAll } from './register-all.ts'
import { batchNaming, type Registration, readRegistrations, singleNaming } from './registration.ts'
import { findResource, hasSameFacts, viewFacts, viewResource } from './resource.ts'

type RegisterContext = WriteContext & QuotaContext

/** Registers a resource. If it is already registered, returns it unchanged. */
export async function register(
  { em, quotas }: RegisterContext,
  request: RegisterResourceRequest,
): Promise<ResourcePermissionResponse> {
  const registrations = readRegistrations([request], singleNaming)
  const [registration] = registrations as [Registration]
  if (!registration.parent) {
    const inserted = await insert(em, registration, quotas)
    if (inserted) return { ...viewFacts(inserted), shares: [] }
  }
  const existing = await findResource(em, registration)
  if (existing && hasSameFacts(existing, registration)) return viewResource(em, existing)
  // The resource has a parent or a new type, or the request is invalid.
  const { resources } = await registerAll(em, registrations, { naming: singleNaming, quotas })
  return resources[0] as ResourcePermissionResponse
}

/**
 * Registers all resources or none. Resources that are already registered are returned unchanged.
 *
 * @throws ServiceError like `registerAll`, with a message that names the fields, as in
 * `resources[3].owner_id`
 */
export async function registerBatch(
  { em, quotas }: RegisterContext,
  request: RegisterBatchRequest,
): Promise<RegisterBatchResponse> {
  const registrations = readRegistrations(request.resources, batchNaming)
  const { resources } = await registerAll(em, registrations, { naming: batchNaming, quotas })
  return { resources }
}

/**
 * Inserts a resource without a parent, in a statement that concurrent calls share. Returns
 * undefined if the resource already exists, its kind does not exist, or its owner is not a member
 * of the workspace.
 */
async function insert(
  em: EntityManager,
  registration: Registration,
  quotas: Quotas,
): Promise<Resource | undefined> {
  const { service_name, resource_type } = registration
  try {
    const item = { ...registration, id: uuid(), quota: quotas.MAX_RESOURCES_PER_WORKSPACE }
    const row = await batched<Resource & { is_over_quota: boolean }>(em, registerResource, item)
    if (!row) return undefined
    const { is_over_quota, ...inserted } = row
    if (!is_over_quota) return { ...inserted, service_name, resource_type }
    if (await findResource(em, registration)) return undefined
    throw quotaExceeded(quotas, 'MAX_RESOURCES_PER_WORKSPACE')
  } catch (error) {
    // The workspace or the membership of the owner was deleted concurrently.
    if (violates(error, 'foreign')) return undefined
    throw error
  }
}
