import { defineReasons } from '../core/define-reasons.ts'

/** The reasons of errors of credentials, sign-in and OAuth. */
export const reasons = defineReasons({
  ACCOUNT_NOT_FOUND: { code: 'not_found', message: 'Account not found' },
  ACCOUNT_PAGE_ONLY: {
    code: 'permission_denied',
    message: 'Only the account page can call this method',
  },
  ADMINISTRATOR_REQUIRED: {
    code: 'permission_denied',
    message: 'Management apps cannot call this method',
  },
  API_KEY_INVALID: { code: 'unauthenticated', message: 'The API key is not valid' },
  API_KEY_NOT_ACCEPTED: {
    code: 'permission_denied',
    message: 'Service accounts cannot call this method. Use the access token of a person.',
  },
  CLIENT_AUTHENTICATION_REQUIRED: {
    code: 'failed_precondition',
    message: 'The client app is confidential or not active',
  },
  AUTHORIZATION_REFUSED: {
    code: 'failed_precondition',
    message: 'The authorization request is refused before the client is known',
  },
  CLIENT_REFUSED: {
    code: 'failed_precondition',
    message: 'The client_id is missing, repeated, unknown or inactive',
  },
  CODE_REFUSED: {
    code: 'failed_precondition',
    message: 'The code is unknown, expired or already used, or the code_verifier does not match it',
  },
  CONNECTION_REQUIRED: {
    code: 'permission_denied',
    message: 'The workspace requires its members to sign in through its connection',
  },
  CONNECTION_SESSION: {
    code: 'permission_denied',
    message:
      'The session began through the connection of a workspace, and is limited to it. Sign in without the connection.',
  },
  DELEGATED_TOKEN_NOT_ACCEPTED: {
    code: 'permission_denied',
    message: 'Agents cannot call this method for a user. Use the access token of the user.',
  },
  INSUFFICIENT_SCOPE: {
    code: 'permission_denied',
    message: 'The scope of the token is too narrow',
  },
  INVALID_CLIENT: {
    code: 'unauthenticated',
    message: 'The client app is unknown or inactive, or its credentials are wrong',
  },
  INVALID_GRANT: {
    code: 'failed_precondition',
    message: 'The code, refresh token or other grant is not valid for the client app',
  },
  INVALID_SCOPE: {
    code: 'failed_precondition',
    message: 'The scope exceeds what the client app or session may have',
  },
  INVALID_TARGET: {
    code: 'failed_precondition',
    message: 'The resource is unknown, repeated, inactive or not the authorized one',
  },
  INVITATION_ENDED: { code: 'not_found', message: 'The invitation has ended or does not exist' },
  LAST_ACCOUNT: {
    code: 'already_exists',
    message: 'The last linked account or passkey cannot be removed, because it is the only way in',
  },
  LOGOUT_REFUSED: {
    code: 'failed_precondition',
    message: 'The sign-out request of the client app is not valid',
  },
  NOT_ADMIN: { code: 'permission_denied', message: 'The user is not an administrator' },
  NOT_A_MEMBER: { code: 'permission_denied', message: 'Not a member of this workspace' },
  OAUTH_INVALID_REQUEST: {
    code: 'failed_precondition',
    name: 'INVALID_REQUEST',
    message: 'A parameter of an OAuth request is missing or not valid',
  },
  ORIGIN_REFUSED: {
    code: 'permission_denied',
    message: 'Requests from this origin are not allowed',
  },
  OTHER_WORKSPACE: {
    code: 'permission_denied',
    message: 'The token was issued for another workspace',
  },
  PROVIDER_NOT_FOUND: { code: 'not_found', message: 'Unknown identity provider' },
  REDIRECT_URI_REFUSED: {
    code: 'failed_precondition',
    message: 'The redirect_uri is not registered',
  },
  REFRESH_TOKEN_REFUSED: {
    code: 'unauthenticated',
    message: 'The refresh token is no longer valid',
  },
  SCOPE_MISSING: {
    code: 'permission_denied',
    message: 'The management app lacks the scope of the method',
  },
  SERVICE_KEY_INVALID: { code: 'unauthenticated', message: 'The service key is not valid' },
  SERVICE_KEY_MISSING: {
    code: 'unauthenticated',
    message: 'A service key is required in the x-service-key header',
  },
  SESSION_NOT_FOUND: { code: 'not_found', message: 'Session not found' },
  SIGN_IN_TOO_OLD: { code: 'unauthenticated', message: 'The user must sign in again' },
  SIGN_IN_TOO_WEAK: {
    code: 'permission_denied',
    message:
      'The workspace does not accept sign-ins by a code sent by e-mail. Sign in another way.',
  },
  SIGNER_UNAVAILABLE: { code: 'unavailable', message: 'Tokens cannot be signed at the moment' },
  STATE_REFUSED: {
    code: 'failed_precondition',
    message: 'This sign-in was not started in this browser, or it has already ended',
  },
  TOKEN_INVALID: { code: 'unauthenticated', message: 'The token is not valid' },
  TOKEN_MISSING: {
    code: 'unauthenticated',
    message: 'An access token is required in the authorization header: Bearer <token>',
  },
  TOKEN_REVOKED: { code: 'unauthenticated', message: 'The token has been revoked' },
  UNAUTHORIZED_CLIENT: {
    code: 'failed_precondition',
    message: 'The client app may not use the grant or token',
  },
  UNSUPPORTED_GRANT_TYPE: {
    code: 'failed_precondition',
    message: 'The grant_type is not supported',
  },
  USER_INACTIVE: { code: 'unauthenticated', message: 'The user is not active' },
  USER_NOT_FOUND: { code: 'not_found', message: 'User not found' },
  WRONG_AUDIENCE: {
    code: 'unauthenticated',
    message:
      'The token is limited to the API of a service, and is accepted only together with a key of it',
  },
  WORKSPACE_REFUSED: {
    code: 'permission_denied',
    message: 'The client app signs users in to another workspace',
  },
})
