import { logEvents } from './events.ts'
import { reasons } from './reasons.ts'
import { activitySettings } from './settings.ts'

/** The log of every change, its seals, and the feeds that follow it. */
export const activity = {
  name: 'activity',
  needs: [],
  events: logEvents,
  reasons,
  settings: activitySettings,
  load: async () => (await import('./parts.ts')).parts,
} as const
