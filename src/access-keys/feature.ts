import { reasons } from './reasons.ts'
import { accessKeySettings } from './settings.ts'

/** What lists in the databases of services are joined with: the keys of subjects and of resources. */
export const accessKeys = {
  name: 'access-keys',
  needs: ['identity', 'permissions'],
  reasons,
  settings: accessKeySettings,
  load: async () => (await import('./parts.ts')).parts,
} as const
