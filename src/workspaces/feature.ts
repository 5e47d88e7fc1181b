import { workspaceEvents } from './events.ts'
import { reasons } from './reasons.ts'
import { workspaceSettings } from './settings.ts'

/** Workspaces, their members, groups, custom roles and service accounts. */
export const workspaces = {
  name: 'workspaces',
  needs: ['activity', 'identity'],
  events: workspaceEvents,
  reasons,
  settings: workspaceSettings,
} as const
