import type { CsvImportReport } from '../../gen/daikon/v1/admin_import.ts'
import { maxRowsPerAction, type Plan, type PlannedRow } from './plan.ts'

/** The report must fit into the 4 MiB that gRPC clients accept by default. */
const maxRows = maxRowsPerAction
const maxCharacters = 1024 * 1024

/** Row actions by priority. Determines which rows are listed if not all of them fit. */
const actionsByPriority = ['error', 'update', 'create', 'unchanged'] as const

/** Creates the report of a plan. It counts all rows and lists as many as fit. */
export function createReport(columns: string[], { rows, counts }: Plan): CsvImportReport {
  const byAction = Map.groupBy(rows, ({ action }) => action)
  const candidates = actionsByPriority.flatMap(
    (action) => byAction.get(action)?.slice(0, maxRows) ?? [],
  )
  const listed = takeFitting(candidates)
  const { create, update, unchanged, error: errors } = counts
  const total = create + update + unchanged + errors
  return {
    columns,
    summary: { rows: total, create, update, unchanged, errors },
    rows: listed.toSorted((a, b) => a.line - b.line),
    omitted: total - listed.length,
  }
}

function takeFitting(rows: PlannedRow[]): PlannedRow[] {
  let remaining = maxCharacters
  const firstOmitted = rows.slice(0, maxRows).findIndex((row) => {
    remaining -= sizeOf(row)
    return remaining < 0
  })
  return rows.slice(0, firstOmitted < 0 ? maxRows : firstOmitted)
}

/** Returns the approximate size in characters, including 50 for the overhead of each object. */
function sizeOf({ email, changes, errors }: PlannedRow): number {
  const texts = [
    ...changes.map(({ from, to }) => from + to),
    ...errors.map(({ message }) => message),
  ]
  return texts.reduce((sum, text) => sum + text.length + 50, email.length + 50)
}
