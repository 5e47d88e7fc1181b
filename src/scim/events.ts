import type { EventTable } from '../activity/events.ts'

/** The events of directories. */
export const scimEvents = {
  'scim.token_created': {
    target: 'workspace',
    detail: ['key_prefix'],
    description: 'An owner created the SCIM token of a workspace, which ended the previous one',
    recordedBy: ['createScimToken'],
  },
  'scim.token_deleted': {
    target: 'workspace',
    detail: ['key_prefix'],
    description: 'An owner ended the SCIM token of a workspace',
    recordedBy: ['deleteScimToken'],
  },
  'scim.confirmed': {
    target: 'workspace',
    detail: ['expires_at'],
    description: 'An owner let the directory end any number of memberships for an hour',
    recordedBy: ['confirmScim'],
  },
  'scim.user_provisioned': {
    target: 'user',
    detail: ['email', 'role'],
    description: 'A directory made a person a member of a workspace, or took over a membership',
    recordedBy: [],
    alsoRecordedBy: 'SCIM',
  },
  'scim.user_updated': {
    target: 'user',
    detail: ['email'],
    description: 'A directory changed the attributes of a person in a workspace',
    recordedBy: [],
    alsoRecordedBy: 'SCIM',
  },
  'scim.user_deprovisioned': {
    target: 'user',
    detail: ['email', 'role', 'resources'],
    description:
      'A directory ended a membership with its sessions; counts the resources that the person still owns',
    recordedBy: [],
    alsoRecordedBy: 'SCIM',
  },
  'scim.user_deleted': {
    target: 'user',
    detail: ['email'],
    description: 'A directory deleted a person from a workspace',
    recordedBy: [],
    alsoRecordedBy: 'SCIM',
  },
} as const satisfies EventTable

type ScimEvents = typeof scimEvents

declare module '../activity/events.ts' {
  interface ActivityEvents extends ScimEvents {}
}
