import { reasons } from './reasons.ts'
import { type ClientMetadataSettings, clientMetadataSettings } from './settings.ts'

/** Clients that nobody registered, which are known by the URL of a document about them. */
export const clientMetadata = {
  name: 'client-metadata',
  needs: ['identity'],
  reasons,
  settings: clientMetadataSettings,
  isOn: ({ CLIENT_METADATA_HOSTS }: ClientMetadataSettings) => CLIENT_METADATA_HOSTS.length > 0,
  load: async () => (await import('./parts.ts')).parts,
} as const
