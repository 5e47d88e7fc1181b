import { scimEvents } from './events.ts'
import { scimPorts } from './provided-ports.ts'
import { reasons } from './reasons.ts'
import { scimFormat } from './rest-format.ts'
import { createScimKinds } from './scim-credential.ts'

/** Members and groups that directories provision. */
export const scim = {
  name: 'scim',
  needs: ['activity', 'admin', 'connections', 'identity', 'workspaces'],
  events: scimEvents,
  createCredentialKinds: createScimKinds,
  formats: [scimFormat],
  ports: scimPorts,
  reasons,
  load: async () => (await import('./parts.ts')).parts,
} as const
