import { identityEvents } from './events.ts'

/** Sign-in, tokens, sessions and signing keys. */
export const identity = {
  name: 'identity',
  needs: ['activity', 'connections', 'scim', 'workspaces'],
  events: identityEvents,
} as const
