import { linkEvents } from './events.ts'
import { reasons } from './reasons.ts'
import { linkSettings } from './settings.ts'

/** Links to resources, which open them to anyone who has the link. */
export const links = {
  name: 'links',
  needs: ['activity', 'identity', 'permissions'],
  events: linkEvents,
  reasons,
  settings: linkSettings,
  load: async () => (await import('./parts.ts')).parts,
} as const
