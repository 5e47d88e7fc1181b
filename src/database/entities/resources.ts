import { defineEntity, p } from '@mikro-orm/core'

/** Who has access to a resource without a share: its owner, or every member of its workspace. */
export type Visibility = 'private' | 'workspace'

/** The permission that a share grants. */
export type SharePermission = 'view' | 'edit'

/** A resource type of a service, with a short id for keys. */
export const ResourceKind = defineEntity({
  name: 'ResourceKind',
  tableName: 'resource_kinds',
  properties: {
    id: p.integer().primary(),
    service_name: p.text(),
    resource_type: p.text(),
  },
})

/** A registered resource; `id` is its `permission_id` in the API. */
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
    /** Whether the grants of the parent apply. */
    inherits: p.boolean().default(true),
    /** Whether it ever had a child. */
    is_parent: p.boolean().default(false),
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
    permission: p.text().$type<SharePermission>(),
    granted_by: p.uuid().nullable(),
    granted_at: p.datetime().defaultRaw('now()'),
    /** From this time on, the share grants nothing; null for a share that does not expire. */
    expires_at: p.datetime().nullable(),
    /** The resource's `is_parent`; maintained by PostgreSQL and by `markParentSql`. */
    on_parent: p.boolean().default(false),
  },
})
