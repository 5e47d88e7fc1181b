import { api, type Schemas, unwrap } from '../api/client.ts'
import { queryClient } from '../api/query-client.ts'
import { formatRejected, withoutRecords } from './records.ts'

export type ImportReport = Schemas['CsvImportReport']
export type ImportRow = Schemas['CsvImportRow']

export type ChosenFile = { name: string; text: string }

/** The rows of a file that were left out, as a file with their errors. */
export type Rejected = { count: number; file: ChosenFile }

/** The server's limit, in bytes. */
export const maxFileBytes = 5 * 1024 * 1024

/** How often the rest of a file is checked. A report contains at most 1,000 rows with errors. */
const maxChecks = 100

export function previewImport({ text }: ChosenFile): Promise<ImportReport> {
  return unwrap(api.POST('/admin/import/csv/preview', { body: { csv: text } }))
}

export async function executeImport({ text }: ChosenFile): Promise<ImportReport> {
  const report = await unwrap(api.POST('/admin/import/csv/execute', { body: { csv: text } }))
  await queryClient.invalidateQueries()
  return report
}

/**
 * Separates the rows of a file that can be imported from the rows with errors. The rest is checked
 * again until it has no errors: a report may omit rows, and rows may depend on each other.
 */
export async function separateRows(
  { name, text }: ChosenFile,
  preview: ImportReport,
): Promise<{ good: ChosenFile; rejected: Rejected }> {
  const errors = new Map<number, string>()
  let good = text
  let report = preview
  for (let check = 0; report.summary.errors > 0; check += 1) {
    const failed = report.rows.filter(({ action }) => action === 'error')
    if (check === maxChecks || failed.length === 0)
      throw new Error('The file has too many errors: correct it first.')
    for (const row of failed) errors.set(row.line, describeErrors(row))
    good = withoutRecords(text, new Set(errors.keys()))
    report = await previewImport({ name, text: good })
  }
  const file = {
    name: name.replace(/(\.csv)?$/i, '-errors.csv'),
    text: formatRejected(text, errors),
  }
  return { good: { name, text: good }, rejected: { count: errors.size, file } }
}

function describeErrors({ errors }: ImportRow): string {
  return errors.map(({ field, message }) => (field ? `${field} ${message}` : message)).join('; ')
}
