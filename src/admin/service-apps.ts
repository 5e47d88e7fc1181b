import type { EntityManager } from '@mikro-orm/postgresql'
import { v7 as uuid } from 'uuid'
import type {
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
import { actorOf, recordActivity } from '../activity/record-activity.ts'
import { changedFields } from '../core/changed-fields.ts'
import { ServiceError } from '../core/errors.ts'
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import { ServiceApp, ServiceKey } from '../database/entities/service-apps.ts'
import { isoTime } from '../database/sql-values.ts'
import { inTransaction } from '../database/transaction.ts'
import { createServiceKey, hashServiceKey, serviceKeyPrefix } from '../identity/service-keys.ts'
import {
  expireServiceKeys,
  findServiceApps,
  hasActiveApps,
  lockActiveServiceApps,
  lockServiceApp,
  type ServiceAppRow,
} from './queries.ts'

/** `keysRequired` means that calls need a service key even if no service app is active. */
export type DevelopmentModeContext = Pick<RequestContext, 'warn'> & { keysRequired: boolean }

/** Creates a service app with its first key. `key` overrides the generated key, for demo data. */
export async function createServiceApp(
  { em, principal }: WriteContext,
  { name, service_name }: ServiceAppCreateRequest,
  key = createServiceKey(),
): Promise<ServiceAppKeyResponse> {
  const id = uuid()
  const actor = actorOf(principal)
  return inTransaction(em, async (em) => {
    const app = { id, name: name.trim(), service_name, created_by: actor.actorId ?? null }
    await em.insert(ServiceApp, app)
    const key_prefix = await insertKey(em, id, key)
    await recordActivity(em, actor, {
      action: 'service_app.created',
      targetId: id,
      detail: { name: app.name, service_name, key_prefix },
    })
    return { ...(await requireServiceApp(em, id)), key }
  })
}

/** Lists all service apps, oldest first. */
export async function listServiceApps(
  { em }: Pick<WriteContext, 'em'>,
  _request: ListServiceAppsRequest,
): Promise<ListServiceAppsResponse> {
  const rows = await findServiceApps(em)
  return { service_apps: rows.map(toServiceAppResponse) }
}

/**
 * Changes the name or state of a service app. Keys of an inactive app are rejected. Deactivating
 * the last active app requires `force`.
 */
export async function updateServiceApp(
  { em, principal, warn, keysRequired }: WriteContext & DevelopmentModeContext,
  { service_app_id, name, is_active, force }: ServiceAppUpdateRequest,
): Promise<ServiceAppResponse> {
  const updated = await inTransaction(em, async (em) => {
    if (is_active === false && !force) await requireAnotherApp(em, service_app_id, keysRequired)
    const before = await requireServiceApp(em, service_app_id)
    const changes = changedFields({ name: name?.trim(), is_active })
    if (!changes) return before
    await em.nativeUpdate(ServiceApp, { id: before.id }, changes)
    const app = { ...before, ...changes }
    if (app.name !== before.name) await recordApp({ em, principal }, 'service_app.updated', app)
    if (app.is_active !== before.is_active) {
      const action = app.is_active ? 'service_app.activated' : 'service_app.deactivated'
      await recordApp({ em, principal }, action, app)
    }
    return app
  })
  if (is_active === false) await warnOfDevelopmentMode(em, { warn, keysRequired })
  return updated
}

/** Deletes a service app with its keys. Deleting the last active app requires `force`. */
export async function deleteServiceApp(
  { em, principal, warn, keysRequired }: WriteContext & DevelopmentModeContext,
  { service_app_id, force }: ServiceAppRequest,
): Promise<DeleteResponse> {
  const wasActive = await inTransaction(em, async (em) => {
    if (!force) await requireAnotherApp(em, service_app_id, keysRequired)
    const app = await requireServiceApp(em, service_app_id)
    await em.nativeDelete(ServiceApp, { id: app.id })
    await recordApp({ em, principal }, 'service_app.deleted', app)
    return app.is_active
  })
  if (wasActive) await warnOfDevelopmentMode(em, { warn, keysRequired })
  return {}
}

/**
 * Creates a new key. Previous keys expire after `overlap_seconds`, or earlier if they were already
 * due to.
 */
export async function rotateServiceApp(
  { em, principal }: WriteContext,
  { service_app_id, overlap_seconds = 86_400 }: ServiceAppRotateRequest,
): Promise<ServiceAppKeyResponse> {
  const key = createServiceKey()
  return inTransaction(em, async (em) => {
    const { id, name, service_name } = await requireServiceApp(em, service_app_id)
    await expireServiceKeys(em, id, overlap_seconds)
    const key_prefix = await insertKey(em, id, key)
    await recordActivity(em, actorOf(principal), {
      action: 'service_app.key_rotated',
      targetId: id,
      detail: { name, service_name, key_prefix, overlap_seconds: String(overlap_seconds) },
    })
    return { ...(await requireServiceApp(em, id)), key }
  })
}

/**
 * Warns if development mode is on, which means that no service app is active and keys are not
 * required.
 */
export async function warnOfDevelopmentMode(
  em: EntityManager,
  { keysRequired, warn }: DevelopmentModeContext,
): Promise<void> {
  if (keysRequired) return
  if (await hasActiveApps(em)) return
  warn(
    'No service app is active. Development mode: requests are accepted with any service key, or none',
  )
}

/** Throws if the app is the only active one. */
async function requireAnotherApp(
  em: EntityManager,
  appId: string,
  keysRequired: boolean,
): Promise<void> {
  // Locking all active apps serializes concurrent deactivations.
  const activeIds = await lockActiveServiceApps(em)
  if (activeIds.length !== 1 || activeIds[0] !== appId.toLowerCase()) return
  const effect = keysRequired
    ? 'every call of a backend service is rejected'
    : 'requests are accepted with any service key, or none (development mode)'
  throw new ServiceError(
    'already_exists',
    'LAST_SERVICE_APP',
    `This is the last active service app. Without it, ${effect}. Set force to true to continue.`,
  )
}

/** Locks and returns a service app, so that concurrent changes run one after the other. */
async function requireServiceApp(em: EntityManager, id: string): Promise<ServiceAppResponse> {
  const row = await lockServiceApp(em, id)
  if (row) return toServiceAppResponse(row)
  throw new ServiceError('not_found', 'SERVICE_APP_NOT_FOUND', 'Service app not found')
}

function toServiceAppResponse({
  last_used_at,
  created_by,
  created_at,
  ...row
}: ServiceAppRow): ServiceAppResponse {
  return {
    ...row,
    ...(last_used_at && { last_used_at: isoTime(last_used_at) }),
    ...(created_by && { created_by }),
    created_at: isoTime(created_at),
  }
}

async function insertKey(em: EntityManager, app_id: string, key: string): Promise<string> {
  const key_prefix = serviceKeyPrefix(key)
  await em.insert(ServiceKey, { key_hash: hashServiceKey(key), key_prefix, app_id })
  return key_prefix
}

function recordApp(
  { em, principal }: WriteContext,
  action: `service_app.${'updated' | 'activated' | 'deactivated' | 'deleted'}`,
  { id, name, service_name }: ServiceAppResponse,
): Promise<void> {
  return recordActivity(em, actorOf(principal), {
    action,
    targetId: id,
    detail: { name, service_name },
  })
}
