import type { EventTable } from '../activity/events.ts'

const detail = ['user_id', 'agent_type', 'agent_id', 'service_name', 'expires_at'] as const

/** The events of delegations. */
export const delegationEvents = {
  'delegation.created': {
    target: 'delegation',
    detail,
    description: 'A user let an agent act for them',
    recordedBy: ['createDelegation'],
  },
  'delegation.ended': {
    target: 'delegation',
    detail,
    description:
      'A delegation was ended; recorded within a minute if it ended with its agent, its user, their membership, the service or because the workspace refuses delegations',
    recordedBy: ['deleteMyDelegation', 'deleteWorkspaceDelegation', 'deleteDelegation'],
    alsoRecordedBy: 'the server',
  },
  'delegation.expired': {
    target: 'delegation',
    detail,
    description: 'A delegation expired; recorded within a minute',
    recordedBy: [],
    alsoRecordedBy: 'the server',
  },
} as const satisfies EventTable

type DelegationEvents = typeof delegationEvents

declare module '../activity/events.ts' {
  interface ActivityEvents extends DelegationEvents {}
}
