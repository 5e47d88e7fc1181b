import type {
  RegisterBatchRequest,
  RegisterBatchResponse,
  RegisterResourceRequest,
  ResourcePermissionResponse,
} from '../../gen/daikon/v1/permissions.ts'
import { type Actor, actorOf } from '../activity/actor.ts'
import { type QuotaContext, type Quotas, quotaExceeded } from '../core/quotas.ts'
import type { WriteContext } from '../core/request-context.ts'
import { violates } from '../database/database-errors.ts'
import { workspaceType } from './engine/workspace-type.ts'
import { createListNaming, singleNaming } from './error-naming.ts'
import { type RegistrationStores, registerAll } from './register-all.ts'
import { type Registration, readRegistrations } from './registration.ts'
import { loadResourceResponse, matchesRegistration, toResourceResponse } from './resource.ts'
import type { Resource } from './store/resource-sql.ts'
import type { ResourceStore } from './store/resource-store.ts'

type RegisterStores = RegistrationStores & { resources: ResourceStore }

/** Names fields such as `resources[3].owner_id`. */
const batchNaming = createListNaming('resources')

type RegisterContext<Used> = WriteContext<Used> & QuotaContext

/** Registers a resource. If it is already registered, returns it unchanged. */
export async function register(
  { stores, principal, quotas }: RegisterContext<RegisterStores>,
  request: RegisterResourceRequest,
): Promise<ResourcePermissionResponse> {
  const actor = actorOf(principal)
  const registrations = await readRegistrations(stores, [request], singleNaming)
  const [registration] = registrations as [Registration]
  const { parent, visibility, resourceType } = registration
  if (!parent && visibility !== 'public' && resourceType !== workspaceType) {
    const inserted = await insert(stores, registration, quotas, actor)
    if (inserted) return toResourceResponse(inserted, [])
  }
  const existing = await stores.resources.findByKey(registration)
  if (existing && matchesRegistration(existing, registration))
    return loadResourceResponse(stores, existing)
  // The resource is public or has a parent or a new or reserved type, or the request is invalid.
  const options = { naming: singleNaming, quotas, actor }
  const { resources } = await registerAll(stores, registrations, options)
  return resources[0] as ResourcePermissionResponse
}

/**
 * Registers all resources or none. Resources that are already registered are returned unchanged.
 *
 * @throws ServiceError like `registerAll`, with a message that names the fields, as in
 * `resources[3].owner_id`
 */
export async function registerBatch(
  { stores, principal, quotas }: RegisterContext<RegistrationStores>,
  request: RegisterBatchRequest,
): Promise<RegisterBatchResponse> {
  const registrations = await readRegistrations(stores, request.resources, batchNaming)
  const options = { naming: batchNaming, quotas, actor: actorOf(principal) }
  const { resources } = await registerAll(stores, registrations, options)
  return { resources }
}

/** Inserts a resource that has no parent and is not public. Returns undefined like `RegistrationStore.insert`. */
async function insert(
  { registrations, resources }: RegisterStores,
  registration: Registration,
  quotas: Quotas,
  actor: Actor,
): Promise<Resource | undefined> {
  try {
    const { MAX_RESOURCES_PER_WORKSPACE: maxResources } = quotas
    const inserted = await registrations.insert(registration, maxResources, actor)
    if (inserted !== 'over_quota') return inserted
    if (await resources.findByKey(registration)) return undefined
    throw quotaExceeded(quotas, 'MAX_RESOURCES_PER_WORKSPACE')
  } catch (error) {
    // The workspace or the membership of the owner was deleted concurrently.
    if (violates(error, 'foreign')) return undefined
    throw error
  }
}
