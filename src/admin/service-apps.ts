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
import type { WriteContext } from '../core/request-context.ts'
import { ServiceApp, ServiceKey } from '../database/entities/service-apps.ts'
import { isoTime, type Timestamp } from '../database/sql-values.ts'
import { inTransaction } from '../database/transaction.ts'
import { createServiceKey, hashServiceKey, serviceKeyPrefix } from '../identity/service-keys.ts'
import { type DevelopmentModeContext, warnOfDevelopmentMode } from './development-mode.ts'

/** Makes an app with its first key. `key` lets the demo keep the same one. */
export async function createServiceApp(
  { em, principal }: WriteContext,
  { name, service_name }: ServiceAppCreateRequest,
  key = createServiceKey(),
): Promise<ServiceAppKeyResponse> {
  const id = uuid()
  const { actorId } = actorOf(principal)
  return inTransaction(em, async (em) => {
    const row = { id, name: name.trim(), service_name, created_by: actorId ?? null }
    await em.insert(ServiceApp, row)
    const key_prefix = await insertKey(em, id, key)
    const detail = { name: row.name, service_name, key_prefix }
    await recordActivity(em, { actorId }, { action: 'service_app.created', targetId: id, detail })
    return { ...(await requireServiceApp(em, id)), key }
  })
}

/** Every app, oldest first. */
export async function listServiceApps(
  { em }: Pick<WriteContext, 'em'>,
  _request: ListServiceAppsRequest,
): Promise<ListServiceAppsResponse> {
  const rows = await em.execute<ServiceAppRow[]>(`${select} order by a.id`)
  return { service_apps: rows.map(view) }
}

/** Changes the label; refuses the app's keys from now on, or lets them in again. */
export async function updateServiceApp(
  { em, principal, ...watch }: WriteContext & DevelopmentModeContext,
  { service_app_id, name, is_active }: ServiceAppUpdateRequest,
): Promise<ServiceAppResponse> {
  const changed = await inTransaction(em, async (em) => {
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
  await warnOfDevelopmentMode(em, watch)
  return changed
}

/** Deletes an app with its keys. */
export async function deleteServiceApp(
  { em, principal, ...watch }: WriteContext & DevelopmentModeContext,
  { service_app_id }: ServiceAppRequest,
): Promise<DeleteResponse> {
  await inTransaction(em, async (em) => {
    const app = await requireServiceApp(em, service_app_id)
    await em.nativeDelete(ServiceApp, { id: app.id })
    await recordApp({ em, principal }, 'service_app.deleted', app)
  })
  await warnOfDevelopmentMode(em, watch)
  return {}
}

/** Gives the app a new key; the ones before hold for `overlap_seconds` more at the most. */
export async function rotateServiceApp(
  { em, principal }: WriteContext,
  { service_app_id, overlap_seconds = 86_400 }: ServiceAppRotateRequest,
): Promise<ServiceAppKeyResponse> {
  const key = createServiceKey()
  return inTransaction(em, async (em) => {
    const { id, name, service_name } = await requireServiceApp(em, service_app_id)
    await em.execute(
      `update service_keys
       set expires_at = least(expires_at, now() + ? * interval '1 second') where app_id = ?`,
      [overlap_seconds, id],
    )
    const key_prefix = await insertKey(em, id, key)
    const detail = { name, service_name, key_prefix, overlap_seconds: String(overlap_seconds) }
    const entry = { action: 'service_app.key_rotated', targetId: id, detail } as const
    await recordActivity(em, actorOf(principal), entry)
    return { ...(await requireServiceApp(em, id)), key }
  })
}

type ServiceAppRow = Omit<ServiceAppResponse, 'created_at' | 'last_used_at' | 'created_by'> & {
  last_used_at: Timestamp | null
  created_by: string | null
  created_at: Timestamp
}

const select = `
  select a.id, a.name, a.service_name, k.key_prefix, a.is_active, a.last_used_at, a.created_by,
    a.created_at
  from service_apps a
  left join lateral (
    select key_prefix from service_keys where app_id = a.id
    order by expires_at desc nulls first limit 1
  ) k on true`

/** The app, held until the end of the transaction: changes come one after the other. */
async function requireServiceApp(em: EntityManager, id: string): Promise<ServiceAppResponse> {
  const sql = `${select} where a.id = ? for no key update of a`
  const [row] = await em.execute<ServiceAppRow[]>(sql, [id])
  if (row) return view(row)
  throw new ServiceError('not_found', 'SERVICE_APP_NOT_FOUND', 'Service app not found')
}

function view({ last_used_at, created_by, created_at, ...row }: ServiceAppRow): ServiceAppResponse {
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
  const detail = { name, service_name }
  return recordActivity(em, actorOf(principal), { action, targetId: id, detail })
}
