import { reasons } from './reasons.ts'

/** What lists in the databases of services are joined with: the keys of subjects and of resources. */
export const accessKeys = {
  name: 'access-keys',
  needs: ['identity', 'permissions'],
  reasons,
  load: async () => (await import('./parts.ts')).parts,
} as const
