import { defineReasons } from '../core/define-reasons.ts'

/** The reasons of errors of administrators' methods. */
export const reasons = defineReasons({
  ADMINISTRATORS_ADDRESS: {
    code: 'permission_denied',
    message: 'Only an administrator can change the address of an administrator',
  },
  CLIENT_APP_NOT_FOUND: { code: 'not_found', message: 'Client app not found' },
  CLIENT_APP_PUBLIC: {
    code: 'failed_precondition',
    message: 'A public client app has no secret. Set its type to confidential to create one.',
  },
  DIRECTORY_OWNED: {
    code: 'already_exists',
    message:
      'A directory or connection manages the address or membership of this user. Change it there.',
  },
  EMAIL_TAKEN: { code: 'already_exists', message: 'Another user has this e-mail address' },
  ERASURE_BLOCKED: {
    code: 'already_exists',
    message:
      'Workspaces would lose their last owner, or resources their owner. The members `workspaces` and `services` say which.',
  },
  EXTERNAL_ID_TAKEN: { code: 'already_exists', message: 'Another user has this external_id' },
  LAST_ADMINISTRATOR: {
    code: 'already_exists',
    message: 'The user is the last active administrator. Promote another user first.',
  },
  LAST_SERVICE_APP: {
    code: 'already_exists',
    message: 'This is the last active service app. Set force to true to continue.',
  },
  MANAGEMENT_APP_NOT_FOUND: { code: 'not_found', message: 'Management app not found' },
  OWN_ACCOUNT: {
    code: 'permission_denied',
    message: 'Administrators cannot deactivate, demote or delete their own account',
  },
  REDIRECT_URI_TAKEN: {
    code: 'already_exists',
    message:
      'Another app has the redirect URI, and an app that is bound to a workspace cannot share its redirect URIs',
  },
  SERVICE_APP_NOT_FOUND: { code: 'not_found', message: 'Service app not found' },
})
