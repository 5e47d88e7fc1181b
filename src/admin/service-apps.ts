import { v7 as uuid } from 'uuid'
import type {
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
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import { isoTime } from '../database/sql-values.ts'
import { createServiceKey, hashServiceKey, serviceKeyPrefix } from '../identity/service-keys.ts'
import { reasons } from './reasons.ts'
import type { ServiceAppStore, StoredServiceApp } from './store/service-app-store.ts'

type AppStores = { activity: ActivityStore; serviceApps: ServiceAppStore }

/** `keysRequired` means that calls need a service key even if no service app is active. */
export type DevelopmentModeContext = Pick<RequestContext, 'warn'> & { keysRequired: boolean }

/** Creates a service app with its first key. `key` overrides the generated key, for demo data. */
export async function createServiceApp(
  { stores, principal }: WriteContext<AppStores>,
  { name, service_name }: ServiceAppCreateRequest,
  key = createServiceKey(),
): Promise<ServiceAppKeyResponse> {
  const actor = actorOf(principal)
  const app = {
    id: uuid(),
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
    return { ...toServiceAppResponse(await requireServiceApp(tx, app.id)), key }
  })
}

/** Lists all service apps, oldest first. */
export async function listServiceApps(
  { stores }: Pick<RequestContext<{ serviceApps: ServiceAppStore }>, 'stores'>,
  _request: ListServiceAppsRequest,
): Promise<ListServiceAppsResponse> {
  const apps = await stores.serviceApps.list()
  return { service_apps: apps.map(toServiceAppResponse) }
}

/** Returns a service app. */
export async function getServiceApp(
  { stores: { serviceApps } }: Pick<RequestContext<{ serviceApps: ServiceAppStore }>, 'stores'>,
  { service_app_id }: GetServiceAppRequest,
): Promise<ServiceAppResponse> {
  const app = await serviceApps.find(service_app_id)
  if (!app) throw new ServiceError(reasons.SERVICE_APP_NOT_FOUND)
  return toTaggedResponse(app)
}

/**
 * Changes the name or state of a service app. Keys of an inactive app are rejected. Deactivating
 * the last active app requires `force`.
 */
export async function updateServiceApp(
  { stores, principal, warn, keysRequired }: WriteContext<AppStores> & DevelopmentModeContext,
  { service_app_id, name, is_active, force, if_match }: ServiceAppUpdateRequest,
): Promise<ServiceAppResponse> {
  const actor = actorOf(principal)
  const updated = await stores.transaction(async (tx) => {
    if (is_active === false && !force) await requireAnotherApp(tx, service_app_id, keysRequired)
    const before = await requireServiceApp(tx, service_app_id)
    requireMatch(if_match, tagOf(before))
    const changes = changedFields({ name: name?.trim(), isActive: is_active })
    if (!changes) return before
    await tx.serviceApps.update(before.id, changes)
    const app = { ...before, ...changes }
    if (app.name !== before.name) {
      await tx.activity.record(actor, appEvent('service_app.updated', app))
    }
    if (app.isActive !== before.isActive) {
      const action = app.isActive ? 'service_app.activated' : 'service_app.deactivated'
      await tx.activity.record(actor, appEvent(action, app))
    }
    return app
  })
  if (is_active === false) await warnOfDevelopmentMode(stores, { warn, keysRequired })
  return toTaggedResponse(updated)
}

/** Deletes a service app with its keys. Deleting the last active app requires `force`. */
export async function deleteServiceApp(
  { stores, principal, warn, keysRequired }: WriteContext<AppStores> & DevelopmentModeContext,
  { service_app_id, force, if_match }: ServiceAppRequest,
): Promise<DeleteResponse> {
  const wasActive = await stores.transaction(async (tx) => {
    if (!force) await requireAnotherApp(tx, service_app_id, keysRequired)
    const app = await requireServiceApp(tx, service_app_id)
    requireMatch(if_match, tagOf(app))
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
    return { ...toServiceAppResponse(await requireServiceApp(tx, id)), key }
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

function tagOf({ id, name, isActive }: StoredServiceApp): string {
  return createEntityTag(id, { name, isActive })
}

function toTaggedResponse(app: StoredServiceApp): ServiceAppResponse {
  return { ...toServiceAppResponse(app), etag: tagOf(app) }
}

function toServiceAppResponse(app: StoredServiceApp): ServiceAppResponse {
  return {
    id: app.id,
    name: app.name,
    service_name: app.serviceName,
    key_prefix: app.keyPrefix,
    is_active: app.isActive,
    ...(app.lastUsedAt && { last_used_at: isoTime(app.lastUsedAt) }),
    ...(app.createdBy && { created_by: app.createdBy }),
    created_at: isoTime(app.createdAt),
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
