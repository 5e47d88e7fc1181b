import { logEvents } from './events.ts'
import { activitySettings } from './settings.ts'

/** The log of every change, and its seals. */
export const activity = {
  name: 'activity',
  needs: [],
  events: logEvents,
  settings: activitySettings,
  load: async () => (await import('./parts.ts')).parts,
} as const
