import { reasons } from './reasons.ts'

/** Watches, which follow the activity log. */
export const following = {
  name: 'following',
  needs: ['activity'],
  reasons,
  load: async () => (await import('./parts.ts')).parts,
} as const
