/** Every recorded occurrence: what it happens to, and what its detail tells (specification 6). */
export const occurrences = {
  'user.signed_in': { target: 'user', detail: ['provider'] },
  'user.sign_in_failed': { target: 'user', detail: ['provider', 'error'] },
  'admin.signed_in': { target: 'user', detail: ['provider'] },
  'admin.sign_in_failed': { target: 'user', detail: ['provider', 'error'] },
  'user.updated': { target: 'user', detail: ['email'] },
  'user.activated': { target: 'user', detail: ['email'] },
  'user.deactivated': { target: 'user', detail: ['email'] },
  'workspace.created': { target: 'workspace', detail: ['slug'] },
  'workspace.updated': { target: 'workspace', detail: ['slug'] },
  'workspace.deleted': { target: 'workspace', detail: ['slug'] },
  'member.invited': { target: 'user', detail: ['email', 'role'] },
  'member.role_changed': { target: 'user', detail: ['from', 'to'] },
  'member.removed': { target: 'user', detail: ['email', 'role'] },
  'group.created': { target: 'group', detail: ['name'] },
  'group.updated': { target: 'group', detail: ['name'] },
  'group.deleted': { target: 'group', detail: ['name'] },
  'group.member_added': { target: 'group', detail: ['name', 'user_id'] },
  'group.member_removed': { target: 'group', detail: ['name', 'user_id'] },
  'role.created': { target: 'role', detail: ['name'] },
  'role.updated': { target: 'role', detail: ['name'] },
  'role.deleted': { target: 'role', detail: ['name'] },
  'role.member_added': { target: 'role', detail: ['name', 'user_id'] },
  'role.member_removed': { target: 'role', detail: ['name', 'user_id'] },
  'role.action_added': { target: 'role', detail: ['name', 'service_name', 'action'] },
  'role.action_removed': { target: 'role', detail: ['name', 'service_name', 'action'] },
  'service_action.registered': { target: 'service_action', detail: ['service_name', 'name'] },
  'service_action.updated': { target: 'service_action', detail: ['service_name', 'name'] },
  'service_app.created': { target: 'service_app', detail: ['name', 'service_name', 'key_prefix'] },
  'service_app.updated': { target: 'service_app', detail: ['name', 'service_name'] },
  'service_app.activated': { target: 'service_app', detail: ['name', 'service_name'] },
  'service_app.deactivated': { target: 'service_app', detail: ['name', 'service_name'] },
  'service_app.key_rotated': {
    target: 'service_app',
    detail: ['name', 'service_name', 'key_prefix', 'overlap_seconds'],
  },
  'service_app.deleted': { target: 'service_app', detail: ['name', 'service_name'] },
  'client_app.created': { target: 'client_app', detail: ['name', 'redirect_uris'] },
  'client_app.updated': { target: 'client_app', detail: ['name', 'redirect_uris'] },
  'client_app.activated': { target: 'client_app', detail: ['name'] },
  'client_app.deactivated': { target: 'client_app', detail: ['name'] },
  'client_app.deleted': { target: 'client_app', detail: ['name'] },
  'permission.visibility_changed': {
    target: 'permission',
    detail: ['service_name', 'resource_type', 'resource_id', 'from', 'to'],
  },
  'permission.shared': {
    target: 'permission',
    detail: [
      'service_name',
      'resource_type',
      'resource_id',
      'grantee_type',
      'grantee_id',
      'permission',
    ],
  },
  'permission.share_revoked': {
    target: 'permission',
    detail: [
      'service_name',
      'resource_type',
      'resource_id',
      'grantee_type',
      'grantee_id',
      'permission',
    ],
  },
} as const

export type Occurrence = keyof typeof occurrences

/** The payload that goes with an occurrence, by its row of the table. */
export type Detail<Name extends Occurrence> = Record<
  (typeof occurrences)[Name]['detail'][number],
  string
>
