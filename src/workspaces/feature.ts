import { defaultWorkspacePorts } from './default-ports.ts'
import { workspaceEvents } from './events.ts'
import { guestVariant } from './guest-variant.ts'
import { workspacePorts } from './provided-ports.ts'
import { reasons } from './reasons.ts'
import { workspaceSettings } from './settings.ts'

/** Workspaces, their members, groups, custom roles and service accounts. */
export const workspaces = {
  name: 'workspaces',
  needs: ['activity', 'identity'],
  events: workspaceEvents,
  createVariants: () => [guestVariant],
  defaultPorts: defaultWorkspacePorts,
  ports: workspacePorts,
  reasons,
  settings: workspaceSettings,
  load: async () => (await import('./parts.ts')).parts,
} as const
