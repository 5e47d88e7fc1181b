import type { EventTable } from '../activity/events.ts'
import { type Concerned, type Detail, everyone, group, users } from '../activity/feed/concerned.ts'

/** The fields that identify a resource in the detail of an entry. */
const resourceFields = ['service_name', 'resource_type', 'resource_id'] as const

/** The fields that identify a share in the detail of an entry. */
const shareFields = [...resourceFields, 'grantee_type', 'grantee_id', 'permission'] as const

function grantee({ grantee_type, grantee_id }: Detail): Concerned[] {
  return grantee_type === 'group' ? group(grantee_id) : users(grantee_id)
}

/** The users with grants on a resource that is registered or unregistered. */
function resourceUsers({ owner_id, visibility, parent, shares = '0' }: Detail): Concerned[] {
  const isPrivate = visibility === 'private' && parent === 'none' && shares === '0'
  return isPrivate ? [...users(owner_id), { kind: 'managers' }] : [{ kind: 'everyone' }]
}

/** The events of resources and shares, and of what services declare. */
export const permissionEvents = {
  'service_action.registered': {
    target: 'service_action',
    detail: ['service_name', 'name'],
    description: 'A service registered a new action',
    recordedBy: ['registerActions'],
    concerns: everyone,
  },
  'service_action.updated': {
    target: 'service_action',
    detail: ['service_name', 'name'],
    description: 'A service changed the description of an action',
    recordedBy: ['registerActions'],
  },
  'resource_type.declared': {
    target: 'resource_type',
    detail: [
      'service_name',
      'resource_type',
      'allow_public',
      'roles',
      'conditions',
      'requirements',
      'added',
      'removed',
    ],
    description:
      'The declaration of a resource type changed; says whether resources may be public, counts the roles, conditions and requirements, and lists up to 20 that were added and up to 20 that were removed, or `none`. What changed is in both lists',
    recordedBy: ['putResourceType', 'deleteResourceType'],
    concerns: everyone,
  },
  'permission.registered': {
    target: 'permission',
    detail: [...resourceFields, 'owner_id', 'visibility', 'parent'],
    description: 'A resource was registered; `parent` is the type and ID of its parent, or `none`.',
    recordedBy: ['register', 'registerBatch'],
    concerns: (_, detail) => resourceUsers(detail),
  },
  'permission.visibility_changed': {
    target: 'permission',
    detail: [...resourceFields, 'from', 'to'],
    description: 'The visibility of a resource changed',
    recordedBy: ['updateVisibility'],
    concerns: everyone,
  },
  'permission.owner_changed': {
    target: 'permission',
    detail: [...resourceFields, 'from', 'to'],
    description: 'A resource was transferred to another owner',
    recordedBy: ['transferOwnership'],
    concerns: (_, { from, to }) => users(from, to),
  },
  'permission.shared': {
    target: 'permission',
    detail: [...shareFields, 'expires_at', 'condition'],
    description:
      'A resource was shared with a user or group, or the permission, role, condition or expiry of a share changed; `permission` contains the permission or the name of the role; `expires_at` is `never` for a share that does not expire; `condition` is the name of the condition with its parameters, or `none`',
    recordedBy: ['share', 'shareBatch'],
    concerns: (_, detail) => grantee(detail),
  },
  'permission.share_expired': {
    target: 'permission',
    detail: [...shareFields, 'expires_at'],
    description: 'A share expired; recorded within a minute, or when the resource is shared again',
    recordedBy: [],
    alsoRecordedBy: 'the server',
    concerns: (_, detail) => grantee(detail),
  },
  'permission.share_revoked': {
    target: 'permission',
    detail: shareFields,
    description: 'A share was revoked',
    recordedBy: ['revokeShare'],
    concerns: (_, detail) => grantee(detail),
  },
  'permission.parent_changed': {
    target: 'permission',
    detail: [...resourceFields, 'from', 'to', 'inherits'],
    description:
      'A resource was moved with everything below it, or its inheritance was turned on or off; `from` and `to` are the type and id of the parent, or `none`',
    recordedBy: ['updateParent'],
    concerns: everyone,
  },
  'permission.attributes_changed': {
    target: 'permission',
    detail: [...resourceFields, 'changed'],
    description:
      'Attributes of a resource were set or removed; `changed` names the members, without their values',
    recordedBy: ['updateAttributes'],
    concerns: (_, { service_name, resource_type }) => [
      { kind: 'conditions', id: `${service_name}/${resource_type}` },
    ],
  },
  'permission.renamed': {
    target: 'permission',
    detail: resourceFields,
    description: 'The display name of a resource was set or removed; the name is not recorded',
    recordedBy: ['updateResource'],
  },
  'permission.unregistered': {
    target: 'permission',
    detail: [...resourceFields, 'owner_id', 'visibility', 'parent', 'shares'],
    description:
      'A resource was unregistered, which deleted its shares; its children have no parent any more; `parent` is the type and ID of its parent, or `none`; counts the shares',
    recordedBy: ['unregister'],
    concerns: (_, detail) => resourceUsers(detail),
  },
  'permission.tree_unregistered': {
    target: 'permission',
    detail: [...resourceFields, 'descendants', 'shares'],
    description:
      'A resource was unregistered with everything below it; counts the resources below it and all deleted shares',
    recordedBy: ['unregister'],
    concerns: everyone,
  },
} as const satisfies EventTable

type PermissionEvents = typeof permissionEvents

declare module '../activity/events.ts' {
  interface ActivityEvents extends PermissionEvents {}
}
