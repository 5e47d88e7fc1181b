import { defineEntity, p } from '@mikro-orm/core'

/** A revoked token, stored until it expires. */
export const DeniedToken = defineEntity({
  name: 'DeniedToken',
  tableName: 'denied_tokens',
  properties: { token_id: p.uuid().primary(), expires_at: p.datetime() },
})

/**
 * An entry of the activity log. It has no foreign keys, because it outlives the rows it refers to.
 */
export const Activity = defineEntity({
  name: 'Activity',
  tableName: 'activity',
  properties: {
    id: p.uuid().primary(),
    action: p.text(),
    target_type: p.text(),
    target_id: p.uuid().nullable(),
    actor_id: p.uuid().nullable(),
    /** Null in entries without an actor, and in those of earlier versions. */
    actor_type: p.text().nullable(),
    api_key_prefix: p.text().nullable(),
    /** The agent that acted for the actor, and its delegation. */
    agent_type: p.text().nullable(),
    agent_id: p.uuid().nullable(),
    delegation_id: p.uuid().nullable(),
    workspace_id: p.uuid().nullable(),
    detail: p.json().$type<Record<string, unknown>>(),
    created_at: p.datetime().defaultRaw('now()'),
    request_id: p.text().nullable(),
    ip: p.text().nullable(),
    service_app_id: p.uuid().nullable(),
    key_prefix: p.text().nullable(),
    /** The position in the hash chain, or null until the entry is sealed. */
    seal_seq: p.bigint().nullable(),
    /** The hash of this entry and of the hash before it, in hex. */
    seal_hash: p.text().nullable(),
    /** The salted digests of personal values, and their salts. Erasing a value deletes its salt. */
    seal_digests: p.json().$type<Record<string, string>>().nullable(),
    seal_salts: p.json().$type<Record<string, string>>().nullable(),
    /** The format of the hash; null for version 1. */
    seal_version: p.integer().nullable(),
  },
})
