import type { EventTable } from '../activity/events.ts'

/** The events of imports. */
export const csvImportEvents = {
  'import.executed': {
    target: 'import',
    detail: ['rows', 'created', 'updated'],
    description:
      'An administrator imported a CSV file; the entries of its changes precede this one',
    recordedBy: ['executeCsvImport'],
  },
} as const satisfies EventTable

type CsvImportEvents = typeof csvImportEvents

declare module '../activity/events.ts' {
  interface ActivityEvents extends CsvImportEvents {}
}
