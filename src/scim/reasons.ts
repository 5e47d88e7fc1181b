import { defineReasons } from '../core/define-reasons.ts'

/** The reasons of errors of SCIM. */
export const reasons = defineReasons({
  ADDRESS_USED_ELSEWHERE: {
    code: 'already_exists',
    message: 'The person who had this address before still signs in with it elsewhere',
  },
  ALREADY_PROVISIONED: {
    code: 'already_exists',
    message: 'The directory has already provisioned a user with this userName',
  },
  CONFIRMATION_REQUIRED: {
    code: 'already_exists',
    message:
      'More than half of the members would be deactivated within an hour. An owner of the workspace must confirm it.',
  },
  INVALID_FILTER: { code: 'invalid_argument', message: 'The filter is not valid' },
  INVALID_PATH: { code: 'invalid_argument', message: 'The path of an operation is not valid' },
  INVALID_SYNTAX: { code: 'invalid_argument', message: 'The request does not follow SCIM' },
  INVALID_VALUE: { code: 'invalid_argument', message: 'The value of an attribute is not valid' },
  NO_TARGET: { code: 'invalid_argument', message: 'No value matches the path' },
  NO_VERIFIED_DOMAIN: {
    code: 'already_exists',
    message: 'The workspace has no verified domain. Verify a domain of a connection first.',
  },
  READ_ONLY_ATTRIBUTE: { code: 'invalid_argument', message: 'The attribute cannot be changed' },
  SCIM_RESOURCE_NOT_FOUND: {
    code: 'not_found',
    message: 'The user or group of the directory does not exist',
  },
  SCIM_TOKEN_INVALID: { code: 'unauthenticated', message: 'The SCIM token is not valid' },
  SCIM_TOKEN_NOT_FOUND: { code: 'not_found', message: 'SCIM token not found' },
  TOO_MANY_GROUPS: {
    code: 'invalid_argument',
    message: 'The user is in too many groups to list; request it with excludedAttributes=groups',
  },
  TOO_MANY_MEMBERS: {
    code: 'invalid_argument',
    message: 'The group has too many members to list; request it with excludedAttributes=members',
  },
})
