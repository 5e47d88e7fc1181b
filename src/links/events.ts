import type { EventTable } from '../activity/events.ts'

/** The fields that identify a link in the detail of an entry. */
const linkFields = [
  'service_name',
  'resource_type',
  'resource_id',
  'link_id',
  'permission',
  'expires_at',
] as const

/** The events of links. */
export const linkEvents = {
  'permission.link_created': {
    target: 'permission',
    detail: [...linkFields, 'condition'],
    description:
      'A link to a resource was created; `expires_at` is `never` if it does not expire; `condition` is the name of the condition with its parameters, or `none`',
    recordedBy: ['createLink'],
  },
  'permission.link_revoked': {
    target: 'permission',
    detail: linkFields,
    description: 'A link to a resource was revoked',
    recordedBy: ['deleteLink'],
  },
  'permission.link_expired': {
    target: 'permission',
    detail: linkFields,
    description: 'A link to a resource expired; recorded within a minute',
    recordedBy: [],
    alsoRecordedBy: 'the server',
  },
} as const satisfies EventTable

type LinkEvents = typeof linkEvents

declare module '../activity/events.ts' {
  interface ActivityEvents extends LinkEvents {}
}
