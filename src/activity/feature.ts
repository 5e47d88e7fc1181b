import { logEvents } from './events.ts'

/** The log of every change, its seals, and what follows it. */
export const activity = {
  name: 'activity',
  needs: [],
  events: logEvents,
} as const
