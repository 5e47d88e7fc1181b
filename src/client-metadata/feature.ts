import { reasons } from './reasons.ts'
import { clientMetadataSettings } from './settings.ts'

/** Clients that nobody registered, which are known by the URL of a document about them. */
export const clientMetadata = {
  name: 'client-metadata',
  needs: ['identity'],
  reasons,
  settings: clientMetadataSettings,
  load: async () => (await import('./parts.ts')).parts,
} as const
