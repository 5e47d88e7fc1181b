import { defineEntity, p } from '@mikro-orm/core'

/** A backend service. Its keys give access only to the resources of `service_name`. */
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

/** A key of a service app, stored as its SHA-256 hash. During a rotation, two keys are valid. */
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

/** An action that a service registered, in addition to the built-in ones. */
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
