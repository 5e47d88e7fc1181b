import { csvImportEvents } from './events.ts'
import { reasons } from './reasons.ts'

/** Import of members from CSV files. */
export const csvImport = {
  name: 'csv-import',
  needs: ['activity', 'identity', 'workspaces'],
  events: csvImportEvents,
  reasons,
  load: async () => (await import('./parts.ts')).parts,
} as const
