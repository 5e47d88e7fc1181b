import type { EventTable } from '../activity/events.ts'

const detail = ['user_id', 'client', 'host', 'resource', 'scopes'] as const

/** The events of consents. */
export const consentEvents = {
  'grant.created': {
    target: 'grant',
    detail,
    description: 'A user agreed to the access of an app in a workspace',
    recordedBy: ['authorize'],
  },
  'grant.extended': {
    target: 'grant',
    detail,
    description: 'A user agreed to more scopes of an app, or to changed redirect URIs or keys',
    recordedBy: ['authorize'],
  },
  'grant.revoked': {
    target: 'grant',
    detail,
    description: 'A grant to an app was ended, which ended its sessions and access tokens',
    recordedBy: ['deleteMyGrant', 'deleteWorkspaceGrant', 'deleteGrant', 'deleteGrants'],
    alsoRecordedBy: 'the server, for the longest unused grant of a user who has too many',
  },
} as const satisfies EventTable

type ConsentEvents = typeof consentEvents

declare module '../activity/events.ts' {
  interface ActivityEvents extends ConsentEvents {}
}
