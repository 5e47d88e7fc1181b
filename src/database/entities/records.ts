import { defineEntity, p } from '@mikro-orm/core'

/** A revoked token, stored until it expires. */
export const DeniedToken = defineEntity({
  name: 'DeniedToken',
  tableName: 'denied_tokens',
  properties: { token_id: p.uuid().primary(), expires_at: p.datetime() },
})

/** An entry of the activity log. It has no foreign keys, because it outlives its subjects. */
export const Activity = defineEntity({
  name: 'Activity',
  tableName: 'activity',
  properties: {
    id: p.uuid().primary(),
    action: p.text(),
    target_type: p.text(),
    target_id: p.uuid().nullable(),
    actor_id: p.uuid().nullable(),
    workspace_id: p.uuid().nullable(),
    detail: p.json().$type<Record<string, unknown>>(),
    created_at: p.datetime().defaultRaw('now()'),
  },
})
