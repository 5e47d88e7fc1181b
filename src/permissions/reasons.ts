import { defineReasons } from '../core/define-reasons.ts'

/** The reasons of errors of resources and shares. */
export const reasons = defineReasons({
  CONDITION_IN_USE: {
    code: 'already_exists',
    message:
      'Shares or links use conditions that the declaration would remove, or whose parameters would not fit',
  },
  DELEGATION_DOES_NOT_COVER: {
    code: 'permission_denied',
    message: 'The delegation has ended or does not cover this',
  },
  GRANTEE_NOT_FOUND: { code: 'not_found', message: 'No such user or group in the workspace' },
  NOT_THE_OWNER: {
    code: 'permission_denied',
    message: "Only the resource's owner, or an owner or admin of its workspace, may do this",
  },
  PARENT_CYCLE: {
    code: 'already_exists',
    message: 'A resource cannot be its own ancestor',
  },
  PARENT_NOT_EDITABLE: {
    code: 'permission_denied',
    message: 'Requires permission to edit the parent',
  },
  PUBLIC_RESOURCES: { code: 'already_exists', message: 'Resources of the type are public' },
  REQUIREMENT_NOT_MET: {
    code: 'permission_denied',
    message: 'The action requires a condition that is not met',
  },
  RESOURCE_NOT_FOUND: { code: 'not_found', message: 'Resource not found' },
  RESOURCE_REGISTERED: {
    code: 'already_exists',
    message: 'The resource is registered with another workspace or owner',
  },
  RESOURCE_TYPE_NOT_FOUND: {
    code: 'not_found',
    message: 'The service has not declared the resource type',
  },
  ROLE_IN_USE: {
    code: 'already_exists',
    message: 'Shares or links use roles that the declaration would remove',
  },
  SHARE_NOT_FOUND: { code: 'not_found', message: 'Share not found' },
})
