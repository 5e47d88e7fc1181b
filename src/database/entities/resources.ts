import { defineEntity, p } from '@mikro-orm/core'

/**
 * Whether a resource without shares is accessible to its owner only, to every member of its
 * workspace, or to everybody, signed in or not.
 */
export type Visibility = 'private' | 'workspace' | 'public'

/** A resource type of a service, with a short id that keys of other tables use. */
export const ResourceKind = defineEntity({
  name: 'ResourceKind',
  tableName: 'resource_kinds',
  properties: {
    id: p.integer().primary(),
    service_name: p.text(),
    resource_type: p.text(),
  },
})

/** A registered resource. Its `id` is the `permission_id` of the API. */
export const Resource = defineEntity({
  name: 'Resource',
  tableName: 'resources',
  properties: {
    id: p.uuid().primary(),
    kind_id: p.integer(),
    resource_id: p.uuid(),
    external_id: p.text().nullable(),
    workspace_id: p.uuid(),
    owner_id: p.uuid(),
    visibility: p.text().$type<Visibility>(),
    created_at: p.datetime().defaultRaw('now()'),
    parent_id: p.uuid().nullable(),
    /** Whether the resource inherits the grants of its parent. */
    inherits: p.boolean().default(true),
    /** Whether the resource has ever had a child. */
    is_parent: p.boolean().default(false),
    /** What conditions may read about the resource, or null for an empty object. */
    attributes: p.json().$type<Record<string, unknown>>().columnType('json').nullable(),
    /** The name of the resource for people. */
    display_name: p.text().nullable(),
  },
})

/** A share of a resource with one user or one group of its workspace. */
export const Share = defineEntity({
  name: 'Share',
  tableName: 'shares',
  properties: {
    id: p.uuid().primary(),
    kind_id: p.integer(),
    resource_id: p.uuid(),
    workspace_id: p.uuid(),
    user_id: p.uuid().nullable(),
    group_id: p.uuid().nullable(),
    /** `view`, `edit` or the name of a role of the kind, after `?` if the share has a condition. */
    permission: p.text(),
    granted_by: p.uuid().nullable(),
    granted_at: p.datetime().defaultRaw('now()'),
    /** When the share expires, or null if it does not. */
    expires_at: p.datetime().nullable(),
    /**
     * The value of `is_parent` of the resource. A trigger sets it when the share is inserted, and
     * `markParents` when the resource becomes a parent.
     */
    on_parent: p.boolean().default(false),
    /** The name of a condition of the kind, and the values of its parameters. Null without one. */
    condition: p.text().nullable(),
    params: p.json().nullable(),
  },
})
