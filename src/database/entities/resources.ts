import { defineEntity, p } from '@mikro-orm/core'

/** What may be seen of a resource without a share (specification 2). */
export type Visibility = 'private' | 'workspace'

/** What a share gives. */
export type SharePermission = 'view' | 'edit'

/** A service's type of resource, as a number. */
export const ResourceKind = defineEntity({
  name: 'ResourceKind',
  tableName: 'resource_kinds',
  properties: {
    id: p.integer().primary(),
    service_name: p.text(),
    resource_type: p.text(),
  },
})

/** A registered resource; `id` is the permission_id of the routes. */
export const Resource = defineEntity({
  name: 'Resource',
  tableName: 'resources',
  properties: {
    id: p.uuid().primary(),
    kind_id: p.integer(),
    resource_id: p.uuid(),
    workspace_id: p.uuid(),
    owner_id: p.uuid(),
    visibility: p.text().$type<Visibility>(),
    created_at: p.datetime().defaultRaw('now()'),
  },
})

/** A resource shared with one user or one group of its workspace. */
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
  },
})
