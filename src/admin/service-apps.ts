import type {
  ApiResource,
  GetServiceAppRequest,
  ListServiceAppsRequest,
  ListServiceAppsResponse,
  ServiceAppCreateRequest,
  ServiceAppKeyResponse,
  ServiceAppRequest,
  ServiceAppResponse,
  ServiceAppRotateRequest,
  ServiceAppUpdateRequest,
} from '../../gen/daikon/v1/admin_apps.ts'
import type { DeleteResponse } from '../../gen/daikon/v1/workspaces.ts'
import { actorOf, userIdOf } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { changedFields } from '../core/changed-fields.ts'
import { createEntityTag, requireMatch } from '../core/entity-tag.ts'
import { ServiceError } from '../core/errors.ts'
import { newId } from '../core/new-id.ts'
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import { isoTime } from '../database/sql-values.ts'
import { createServiceKey, hashServiceKey, serviceKeyPrefix } from '../identity/service-keys.ts'
import type { ResourcesContext, ServiceAppResources } from './ports.ts'
import { reasons } from './reasons.ts'
import type { ServiceAppStore, StoredServiceApp } from './store/service-app-store.ts'

type ReadStores = { serviceApps: ServiceAppStore; serviceAppResources: ServiceAppResources }
type AppStores = ReadStores & { activity: ActivityStore }

/** `keysRequired` means that calls need a service key even if no service app is active. */
export type DevelopmentModeContext = Pick<RequestContext, 'warn'> & { keysRequired: boolean }

type NewServiceApp = Omit<ServiceAppCreateRequest, 'api_resources'> &
  Partial<Pick<ServiceAppCreateRequest, 'api_resources'>>

/** Creates a service app with its first key. `key` overrides the generated key, for demo data. */
export async function createServiceApp(
  context: WriteContext<AppStores> & ResourcesContext,
  { name, service_name, api_resources = [] }: NewServiceApp,
  key = createServiceKey(),
): Promise<ServiceAppKeyResponse> {
  const { stores, principal } = context
  const actor = actorOf(principal)
  const app = {
    id: newId(),
    name: name.trim(),
    serviceName: service_name,
    createdBy: userIdOf(actor),
  }
  return stores.transaction(async (tx) => {
    await tx.serviceApps.insert(app)
    const key_prefix = await insertKey(tx, app.id, key)
    await tx.activity.record(actor, {
      action: 'service_app.created',
      targetId: app.id,
      detail: { name: app.name, service_name, key_prefix },
    })
    await tx.serviceAppResources.replace(context, app, api_resources)
    return { ...(await describeApp(tx, await requireServiceApp(tx, app.id))), key }
  })
}

/** Lists all service apps, oldest first. */
export async function listServiceApps(
  { stores }: Pick<RequestContext<ReadStores>, 'stores'>,
  _request: ListServiceAppsRequest,
): Promise<ListServiceAppsResponse> {
  const apps = await stores.serviceApps.list()
  const resourcesOf = await stores.serviceAppResources.list(apps.map(({ id }) => id))
  return { service_apps: apps.map((app) => toServiceAppResponse(app, resourcesOf(app.id))) }
}

/** Returns a service app. */
export async function getServiceApp(
  { stores }: Pick<RequestContext<ReadStores>, 'stores'>,
  { service_app_id }: GetServiceAppRequest,
): Promise<ServiceAppResponse> {
  const app = await stores.serviceApps.find(service_app_id)
  if (!app) throw new ServiceError(reasons.SERVICE_APP_NOT_FOUND)
  return toTaggedResponse(await describeApp(stores, app))
}

type ChangedServiceApp = Omit<ServiceAppUpdateRequest, 'api_resources'> &
  Partial<Pick<ServiceAppUpdateRequest, 'api_resources'>>

/** Returns the APIs that replace those of an app, or undefined if they stay. */
function readResources({
  api_resources = [],
  remove_api_resources: isRemoval,
}: Pick<ChangedServiceApp, 'api_resources' | 'remove_api_resources'>): ApiResource[] | undefined {
  return api_resources.length > 0 || isRemoval ? api_resources : undefined
}

/**
 * Changes the name, APIs or state of a service app. Keys of an inactive app are rejected. Deactivating
 * the last active app requires `force`.
 */
export async function updateServiceApp(
  context: WriteContext<AppStores> & DevelopmentModeContext & ResourcesContext,
  { service_app_id, name, is_active, force, if_match, ...more }: ChangedServiceApp,
): Promise<ServiceAppResponse> {
  const { stores, principal, warn, keysRequired } = context
  const resources = readResources(more)
  const actor = actorOf(principal)
  const updated = await stores.transaction(async (tx) => {
    if (is_active === false && !force) await requireAnotherApp(tx, service_app_id, keysRequired)
    const before = await requireServiceApp(tx, service_app_id)
    requireMatch(if_match, tagOf(await describeApp(tx, before)))
    if (resources) await tx.serviceAppResources.replace(context, before, resources)
    const changes = changedFields({ name: name?.trim(), isActive: is_active })
    if (!changes) return describeApp(tx, before)
    await tx.serviceApps.update(before.id, changes)
    const app = { ...before, ...changes }
    if (app.name !== before.name) {
      await tx.activity.record(actor, appEvent('service_app.updated', app))
    }
    if (app.isActive !== before.isActive) {
      const action = app.isActive ? 'service_app.activated' : 'service_app.deactivated'
      await tx.activity.record(actor, appEvent(action, app))
    }
    return describeApp(tx, app)
  })
  if (is_active === false) await warnOfDevelopmentMode(stores, { warn, keysRequired })
  return toTaggedResponse(updated)
}

/** Deletes a service app with its keys and APIs. Deleting the last active app requires `force`. */
export async function deleteServiceApp(
  context: WriteContext<AppStores> & DevelopmentModeContext & ResourcesContext,
  { service_app_id, force, if_match }: ServiceAppRequest,
): Promise<DeleteResponse> {
  const { stores, principal, warn, keysRequired } = context
  const wasActive = await stores.transaction(async (tx) => {
    if (!force) await requireAnotherApp(tx, service_app_id, keysRequired)
    const app = await requireServiceApp(tx, service_app_id)
    requireMatch(if_match, tagOf(await describeApp(tx, app)))
    await tx.serviceAppResources.replace(context, app, [])
    await tx.serviceApps.delete(app.id)
    await tx.activity.record(actorOf(principal), appEvent('service_app.deleted', app))
    return app.isActive
  })
  if (wasActive) await warnOfDevelopmentMode(stores, { warn, keysRequired })
  return {}
}

/**
 * Creates a new key. Previous keys expire after `overlap_seconds`, or earlier if they were already
 * due to.
 */
export async function rotateServiceApp(
  { stores, principal }: WriteContext<AppStores>,
  { service_app_id, overlap_seconds = 86_400 }: ServiceAppRotateRequest,
): Promise<ServiceAppKeyResponse> {
  const key = createServiceKey()
  return stores.transaction(async (tx) => {
    const { id, name, serviceName } = await requireServiceApp(tx, service_app_id)
    await tx.serviceApps.expireKeys(id, overlap_seconds)
    const key_prefix = await insertKey(tx, id, key)
    await tx.activity.record(actorOf(principal), {
      action: 'service_app.key_rotated',
      targetId: id,
      detail: {
        name,
        service_name: serviceName,
        key_prefix,
        overlap_seconds: String(overlap_seconds),
      },
    })
    return { ...(await describeApp(tx, await requireServiceApp(tx, id))), key }
  })
}

/**
 * Warns if development mode is on, which means that no service app is active and keys are not
 * required.
 */
export async function warnOfDevelopmentMode(
  { serviceApps }: { serviceApps: ServiceAppStore },
  { keysRequired, warn }: DevelopmentModeContext,
): Promise<void> {
  if (keysRequired || (await serviceApps.hasActive())) return
  warn(
    'No service app is active. Development mode: requests are accepted with any service key, or none',
  )
}

/** Throws if the app is the only active one. */
async function requireAnotherApp(
  { serviceApps }: AppStores,
  appId: string,
  keysRequired: boolean,
): Promise<void> {
  // Locking all active apps serializes concurrent deactivations.
  const activeIds = await serviceApps.lockActive()
  if (activeIds.length !== 1 || activeIds[0] !== appId) return
  const effect = keysRequired
    ? 'every call of a backend service is rejected'
    : 'requests are accepted with any service key, or none (development mode)'
  throw new ServiceError(
    reasons.LAST_SERVICE_APP,
    `This is the last active service app. Without it, ${effect}. Set force to true to continue.`,
  )
}

/** Locks and returns a service app, so that concurrent changes run one after the other. */
async function requireServiceApp(
  { serviceApps }: AppStores,
  id: string,
): Promise<StoredServiceApp> {
  const app = await serviceApps.lock(id)
  if (!app) throw new ServiceError(reasons.SERVICE_APP_NOT_FOUND)
  return app
}

function tagOf({ id, name, is_active: isActive, api_resources }: ServiceAppResponse): string {
  return createEntityTag(id, { name, isActive, resources: JSON.stringify(api_resources) })
}

function toTaggedResponse(app: ServiceAppResponse): ServiceAppResponse {
  return { ...app, etag: tagOf(app) }
}

async function describeApp(
  { serviceAppResources }: Pick<ReadStores, 'serviceAppResources'>,
  app: StoredServiceApp,
): Promise<ServiceAppResponse> {
  const resourcesOf = await serviceAppResources.list([app.id])
  return toServiceAppResponse(app, resourcesOf(app.id))
}

function toServiceAppResponse(
  app: StoredServiceApp,
  api_resources: ApiResource[],
): ServiceAppResponse {
  return {
    id: app.id,
    name: app.name,
    service_name: app.serviceName,
    key_prefix: app.keyPrefix,
    is_active: app.isActive,
    ...(app.lastUsedAt && { last_used_at: isoTime(app.lastUsedAt) }),
    ...(app.createdBy && { created_by: app.createdBy }),
    created_at: isoTime(app.createdAt),
    api_resources,
  }
}

/** Stores the hash of a key and returns its prefix. */
async function insertKey({ serviceApps }: AppStores, appId: string, key: string): Promise<string> {
  const prefix = serviceKeyPrefix(key)
  await serviceApps.insertKey(appId, { hash: hashServiceKey(key), prefix })
  return prefix
}

function appEvent(
  action: `service_app.${'updated' | 'activated' | 'deactivated' | 'deleted'}`,
  { id, name, serviceName }: StoredServiceApp,
) {
  return { action, targetId: id, detail: { name, service_name: serviceName } }
}
