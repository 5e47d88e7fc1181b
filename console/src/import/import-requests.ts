import { api, type Schemas, unwrap } from '../api/client.ts'
import { queryClient } from '../api/query-client.ts'

export type ImportReport = Schemas['CsvImportReport']
export type ImportRow = Schemas['CsvImportRow']

export type ChosenFile = { name: string; text: string }

/** The server's limit, in bytes. */
export const maxFileBytes = 5 * 1024 * 1024

export function previewImport({ text }: ChosenFile): Promise<ImportReport> {
  return unwrap(api.POST('/admin/import/csv/preview', { body: { csv: text } }))
}

export async function executeImport({ text }: ChosenFile): Promise<ImportReport> {
  const report = await unwrap(api.POST('/admin/import/csv/execute', { body: { csv: text } }))
  await queryClient.invalidateQueries()
  return report
}
