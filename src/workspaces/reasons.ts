import { defineReasons } from '../core/define-reasons.ts'

/** The reasons of errors of workspaces, their members, groups and roles. */
export const reasons = defineReasons({
  ALREADY_A_MEMBER: {
    code: 'already_exists',
    message: 'The user is already a member of the workspace',
  },
  API_KEY_NOT_FOUND: { code: 'not_found', message: 'API key not found' },
  CHILD_GROUP_NOT_FOUND: { code: 'not_found', message: 'Child group not found' },
  GROUP_CHAIN_TOO_LONG: {
    code: 'invalid_argument',
    message: 'The chain of nested groups is too long',
  },
  GROUP_CYCLE: {
    code: 'already_exists',
    message: 'The child contains the group, or is the group itself',
  },
  GROUP_NAME_TAKEN: {
    code: 'already_exists',
    message: 'Another group in the workspace has this name',
  },
  GROUP_NOT_FOUND: { code: 'not_found', message: 'Group not found' },
  GUEST: {
    code: 'permission_denied',
    message: 'Guests do not see the members and groups of the workspace',
  },
  LAST_OWNER: {
    code: 'already_exists',
    message: 'A workspace must keep an active owner. Make another member an owner first.',
  },
  MEMBER_NOT_FOUND: { code: 'not_found', message: 'Member not found' },
  OWNER_REQUIRED: {
    code: 'permission_denied',
    message: 'Only an owner of the workspace can allow or forbid support access',
  },
  OWNS_RESOURCES: {
    code: 'already_exists',
    message: 'The user or service account owns resources. Name a member in transfer_to.',
  },
  ROLE_NAME_TAKEN: {
    code: 'already_exists',
    message: 'Another role in the workspace has this name',
  },
  ROLE_NOT_FOUND: { code: 'not_found', message: 'Role not found' },
  SERVICE_ACCOUNT: {
    code: 'already_exists',
    message:
      'The member is a service account. Change or delete it with the methods for service accounts.',
  },
  SERVICE_ACCOUNT_INACTIVE: {
    code: 'already_exists',
    message: 'The service account is not active. Activate it before you create a key.',
  },
  SERVICE_ACCOUNT_NOT_FOUND: { code: 'not_found', message: 'Service account not found' },
  SERVICE_ACTION_NOT_FOUND: { code: 'not_found', message: 'Service action not found' },
  SLUG_TAKEN: { code: 'already_exists', message: 'Another workspace has this slug' },
  SUPPORT_ACCESS: {
    code: 'already_exists',
    message: 'The membership is support access, which ends by itself',
  },
  SUPPORT_ACCESS_FORBIDDEN: {
    code: 'already_exists',
    message: 'An owner of the workspace has forbidden support access',
  },
  TOO_MANY_API_KEYS: {
    code: 'already_exists',
    message: 'The service account has too many API keys. Delete one first.',
  },
  WORKSPACE_NOT_FOUND: { code: 'not_found', message: 'Workspace not found' },
})
