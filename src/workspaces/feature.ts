import { workspaceEvents } from './events.ts'
import { workspaceSettings } from './settings.ts'

/** Workspaces, their members, groups, custom roles and service accounts. */
export const workspaces = {
  name: 'workspaces',
  needs: ['activity', 'identity'],
  events: workspaceEvents,
  settings: workspaceSettings,
} as const
