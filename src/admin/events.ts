import type { EventTable } from '../activity/events.ts'

/** The settings of a client app in the detail of an entry. */
const clientAppFields = [
  'name',
  'type',
  'pkce_required',
  'redirect_uris',
  'workspace',
  'popup_sign_in',
  'consent_required',
  'service_account',
  'keys',
] as const

/** The events of administration: users and apps. */
export const adminEvents = {
  'user.updated': {
    target: 'user',
    detail: ['email'],
    description: 'An administrator changed the name or the external_id of a user',
    recordedBy: ['updateUser', 'executeCsvImport'],
  },
  'user.renamed': {
    target: 'user',
    detail: ['from', 'to'],
    description: 'A CSV import changed the name of a user',
    recordedBy: ['executeCsvImport'],
  },
  'user.activated': {
    target: 'user',
    detail: ['email'],
    description: 'An administrator activated a user, who can sign in again',
    recordedBy: ['updateUser'],
  },
  'user.deactivated': {
    target: 'user',
    detail: ['email'],
    description: 'An administrator deactivated a user, which ended all of their sessions',
    recordedBy: ['updateUser'],
  },
  'user.erased': {
    target: 'user',
    detail: ['by', 'workspaces', 'resources', 'services'],
    description:
      'A user was erased; counts the deleted workspaces and the resources given to another user, and lists the services with resources in workspaces of the user, or `none`',
    recordedBy: ['deleteUser', 'deleteMe'],
  },
  'user.exported': {
    target: 'user',
    detail: ['by'],
    description: 'All data about a user was exported',
    recordedBy: ['exportUser', 'exportMe'],
  },
  'service_app.created': {
    target: 'service_app',
    detail: ['name', 'service_name', 'key_prefix'],
    description: 'A service app was created with its first key',
    recordedBy: ['createServiceApp'],
  },
  'service_app.updated': {
    target: 'service_app',
    detail: ['name', 'service_name'],
    description: 'The name of a service app changed',
    recordedBy: ['updateServiceApp'],
  },
  'service_app.activated': {
    target: 'service_app',
    detail: ['name', 'service_name'],
    description: 'A service app was activated; its keys are accepted again',
    recordedBy: ['updateServiceApp'],
  },
  'service_app.deactivated': {
    target: 'service_app',
    detail: ['name', 'service_name'],
    description: 'A service app was deactivated; its keys are rejected',
    recordedBy: ['updateServiceApp'],
  },
  'service_app.key_rotated': {
    target: 'service_app',
    detail: ['name', 'service_name', 'key_prefix', 'overlap_seconds'],
    description: 'A service app received a new key; its previous keys expire after the overlap',
    recordedBy: ['rotateServiceApp'],
  },
  'service_app.ended_key_used': {
    target: 'service_app',
    detail: ['name', 'service_name', 'key_prefix', 'cause'],
    description:
      'A key was used after it expired or its app was deactivated, as `cause` shows; recorded at most once an hour for each key',
    recordedBy: [],
    alsoRecordedBy: 'the server, within a minute',
  },
  'service_app.deleted': {
    target: 'service_app',
    detail: ['name', 'service_name'],
    description: 'A service app was deleted with its keys',
    recordedBy: ['deleteServiceApp'],
  },
  'client_app.created': {
    target: 'client_app',
    detail: clientAppFields,
    description: 'A client app was created with its redirect URIs',
    recordedBy: ['createClientApp'],
  },
  'client_app.updated': {
    target: 'client_app',
    detail: clientAppFields,
    description:
      'The name, type, PKCE, popup or consent setting, URLs, workspace, service account or keys of a client app changed',
    recordedBy: ['updateClientApp'],
  },
  'client_app.secret_rotated': {
    target: 'client_app',
    detail: ['name', 'secret_prefix', 'overlap_seconds'],
    description:
      'A confidential client app received a new secret; its previous secrets expire after the overlap',
    recordedBy: ['rotateClientApp'],
  },
  'client_app.activated': {
    target: 'client_app',
    detail: ['name'],
    description: 'A client app was activated; users can sign in to it again',
    recordedBy: ['updateClientApp'],
  },
  'client_app.deactivated': {
    target: 'client_app',
    detail: ['name'],
    description: 'A client app was deactivated; users can no longer sign in to it',
    recordedBy: ['updateClientApp'],
  },
  'client_app.deleted': {
    target: 'client_app',
    detail: ['name'],
    description: 'A client app was deleted with its redirect URIs',
    recordedBy: ['deleteClientApp'],
  },
  'management_app.created': {
    target: 'management_app',
    detail: ['name', 'scopes', 'secret_prefix'],
    description: 'A management app was created',
    recordedBy: ['createManagementApp'],
  },
  'management_app.updated': {
    target: 'management_app',
    detail: ['name', 'scopes'],
    description: 'The name or the scopes of a management app changed',
    recordedBy: ['updateManagementApp'],
  },
  'management_app.activated': {
    target: 'management_app',
    detail: ['name'],
    description: 'A management app was activated; it can obtain tokens again',
    recordedBy: ['updateManagementApp'],
  },
  'management_app.deactivated': {
    target: 'management_app',
    detail: ['name'],
    description: 'A management app was deactivated, which ended its tokens',
    recordedBy: ['updateManagementApp'],
  },
  'management_app.secret_rotated': {
    target: 'management_app',
    detail: ['name', 'secret_prefix', 'overlap_seconds'],
    description:
      'A management app received a new secret; its previous secrets expire after the overlap',
    recordedBy: ['rotateManagementApp'],
  },
  'management_app.deleted': {
    target: 'management_app',
    detail: ['name'],
    description: 'A management app was deleted with its secrets, which ended its tokens',
    recordedBy: ['deleteManagementApp'],
  },
} as const satisfies EventTable

type AdminEvents = typeof adminEvents

declare module '../activity/events.ts' {
  interface ActivityEvents extends AdminEvents {}
}
