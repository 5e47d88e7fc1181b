import { apiResourceEvents } from './events.ts'
import { apiResourcePorts } from './provided-ports.ts'
import { reasons } from './reasons.ts'
import { resourceTokenVariant } from './resource-token.ts'

/** The APIs of services that access tokens can be limited to. */
export const apiResources = {
  name: 'api-resources',
  needs: ['activity', 'admin', 'identity'],
  events: apiResourceEvents,
  createVariants: () => [resourceTokenVariant],
  ports: apiResourcePorts,
  reasons,
  load: async () => (await import('./parts.ts')).parts,
} as const
