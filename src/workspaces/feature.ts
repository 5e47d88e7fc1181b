import { workspaceEvents } from './events.ts'

/** Workspaces, their members, groups, custom roles and service accounts. */
export const workspaces = {
  name: 'workspaces',
  needs: ['activity', 'identity'],
  events: workspaceEvents,
} as const
