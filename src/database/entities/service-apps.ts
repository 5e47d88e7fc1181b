import { defineEntity, p } from '@mikro-orm/core'

/** A backend service; its keys act for `service_name` alone (specification 5.5). */
export const ServiceApp = defineEntity({
  name: 'ServiceApp',
  tableName: 'service_apps',
  properties: {
    id: p.uuid().primary(),
    name: p.text(),
    service_name: p.text(),
    is_active: p.boolean().default(true),
    last_used_at: p.datetime().nullable(),
    created_by: p.uuid().nullable(),
    created_at: p.datetime().defaultRaw('now()'),
  },
})

/** A key of a service app: its SHA-256, never the key. Two may hold at once while one is rotated. */
export const ServiceKey = defineEntity({
  name: 'ServiceKey',
  tableName: 'service_keys',
  properties: {
    key_hash: p.text().primary(),
    key_prefix: p.text(),
    app_id: p.uuid(),
    expires_at: p.datetime().nullable(),
    created_at: p.datetime().defaultRaw('now()'),
  },
})

/** An action that a service has registered beyond view and edit. */
export const ServiceAction = defineEntity({
  name: 'ServiceAction',
  tableName: 'service_actions',
  properties: {
    id: p.uuid().primary(),
    service_name: p.text(),
    name: p.text(),
    description: p.text().default(''),
    registered_at: p.datetime().defaultRaw('now()'),
  },
})
