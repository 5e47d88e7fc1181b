import type { EntityManager } from '@mikro-orm/postgresql'
import { v7 as uuid } from 'uuid'
import { hashServiceKey, makeServiceKey, serviceKeyPrefix } from '../identity/service-keys.ts'
import { Fault } from '../rpc/fault.ts'
import { ServiceApp, ServiceKey } from '../storage/entities/service-apps.ts'
import { isoTime, type Timestamp } from '../storage/timestamp.ts'
import { inTransaction } from '../storage/transaction.ts'

/** A service app as it is shown (contract 10); `key` only where one was made. */
export type ServiceAppView = {
  id: string
  name: string
  service_name: string
  /** Of its newest key. */
  key_prefix: string
  is_active: boolean
  created_at: string
  key?: string
}

type ServiceAppRow = Omit<ServiceAppView, 'created_at'> & { created_at: Timestamp }

/** Makes an app with its first key. `key` lets the demo keep the same one. */
export async function createServiceApp(
  em: EntityManager,
  { name, service_name }: { name: string; service_name: string },
  key = makeServiceKey(),
): Promise<ServiceAppView> {
  const id = uuid()
  return inTransaction(em, async (em) => {
    await em.insert(ServiceApp, { id, name, service_name })
    await insertKey(em, id, key)
    return { ...(await requireServiceApp(em, id)), key }
  })
}

/** Every app, oldest first. */
export async function listServiceApps(em: EntityManager): Promise<ServiceAppView[]> {
  const rows = await em.execute<ServiceAppRow[]>(`${select} order by a.id`)
  return rows.map(view)
}

/** Refuses the app's keys from now on; they may be let in again. */
export async function deactivateServiceApp(em: EntityManager, id: string): Promise<ServiceAppView> {
  return inTransaction(em, async (em) => {
    await em.nativeUpdate(ServiceApp, { id }, { is_active: false })
    return requireServiceApp(em, id)
  })
}

/** Gives the app a new key; the ones before hold for `overlapSeconds` more. */
export async function rotateServiceApp(
  em: EntityManager,
  id: string,
  overlapSeconds: number,
): Promise<ServiceAppView> {
  const key = makeServiceKey()
  return inTransaction(em, async (em) => {
    await requireServiceApp(em, id)
    await em.execute(
      `update service_keys set expires_at = now() + ? * interval '1 second'
       where app_id = ? and expires_at is null`,
      [overlapSeconds, id],
    )
    await insertKey(em, id, key)
    return { ...(await requireServiceApp(em, id)), key }
  })
}

const select = `
  select a.id, a.name, a.service_name, k.key_prefix, a.is_active, a.created_at
  from service_apps a
  left join lateral (
    select key_prefix from service_keys where app_id = a.id
    order by expires_at desc nulls first limit 1
  ) k on true`

async function requireServiceApp(em: EntityManager, id: string): Promise<ServiceAppView> {
  const [row] = await em.execute<ServiceAppRow[]>(`${select} where a.id = ?`, [id])
  if (row) return view(row)
  throw new Fault('missing', 'SERVICE_APP_NOT_FOUND', 'Service app not found')
}

function view(row: ServiceAppRow): ServiceAppView {
  return { ...row, created_at: isoTime(row.created_at) }
}

async function insertKey(em: EntityManager, app_id: string, key: string): Promise<void> {
  const row = { key_hash: hashServiceKey(key), key_prefix: serviceKeyPrefix(key), app_id }
  await em.insert(ServiceKey, row)
}
