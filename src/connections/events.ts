import type { EventTable } from '../activity/events.ts'

/** The settings of a connection in the detail of an entry. */
const connectionFields = [
  'name',
  'issuer',
  'client_id',
  'domains',
  'default_role',
  'is_active',
  'enforced',
  'break_glass',
] as const

/** The events of workspaces' identity providers. */
export const connectionEvents = {
  'connection.created': {
    target: 'connection',
    detail: connectionFields,
    description: 'A workspace was connected to an identity provider',
    recordedBy: ['createConnection'],
  },
  'connection.updated': {
    target: 'connection',
    detail: connectionFields,
    description: 'The settings or domains of a connection changed, or its secret or mapping',
    recordedBy: ['updateConnection'],
  },
  'connection.deleted': {
    target: 'connection',
    detail: ['name', 'issuer'],
    description: 'A connection was deleted, and its sessions ended',
    recordedBy: ['deleteConnection'],
  },
  'connection.domain_verified': {
    target: 'connection',
    detail: ['domain'],
    description: 'The TXT record of a domain was found: the connection may assert its addresses',
    recordedBy: ['verifyConnectionDomain'],
  },
  'connection.domain_failing': {
    target: 'connection',
    detail: ['domain'],
    description:
      'The TXT record of a verified domain is missing; a week later, the connection may no longer assert its addresses',
    recordedBy: [],
    alsoRecordedBy: 'the server',
  },
  'connection.domain_lapsed': {
    target: 'connection',
    detail: ['domain'],
    description:
      'The TXT record of a domain was missing for a week: the connection may no longer assert its addresses',
    recordedBy: [],
    alsoRecordedBy: 'the server',
  },
  'connection.member_joined': {
    target: 'user',
    detail: ['email', 'role', 'guest', 'connection_id'],
    description:
      'A person joined a workspace by signing in through its connection for the first time; `guest` is `true` for a guest',
    recordedBy: [],
    alsoRecordedBy: 'sign-ins through a connection',
  },
  'connection.claims_missing': {
    target: 'connection',
    detail: ['claims', 'cure'],
    description:
      'Somebody signed in with a token that omits claims of the mapping because they have too many values, so what the claims map stayed as it was; recorded at most once a day',
    recordedBy: [],
    alsoRecordedBy: 'sign-ins through a connection',
  },
  'connection.break_glass_used': {
    target: 'user',
    detail: ['connection_id', 'provider'],
    description: 'An owner signed in to a workspace otherwise than by its enforced connection',
    recordedBy: [],
    alsoRecordedBy: 'sign-ins to a workspace with an enforced connection',
  },
} as const satisfies EventTable

type ConnectionEvents = typeof connectionEvents

declare module '../activity/events.ts' {
  interface ActivityEvents extends ConnectionEvents {}
}
