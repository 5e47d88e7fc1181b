import type { CsvImportReport } from '../../../gen/daikon/v1/admin_import.ts'
import { mostKept, type Plan, type PlannedRow } from './plan.ts'

/** The most rows that are listed, and the most characters: a client takes 4 MiB of gRPC. */
const mostRows = mostKept
const mostCharacters = 1024 * 1024

/** Who is listed first where not all can be. */
const precedence = ['error', 'update', 'create', 'unchanged'] as const

/** The rows as they are answered: all are counted, and so many listed as bounds allow. */
export function createReport(columns: string[], { rows, counts }: Plan): CsvImportReport {
  const byAction = Map.groupBy(rows, ({ action }) => action)
  const chosen = fit(precedence.flatMap((action) => byAction.get(action)?.slice(0, mostRows) ?? []))
  const { create, update, unchanged, error: errors } = counts
  const all = create + update + unchanged + errors
  return {
    columns,
    summary: { rows: all, create, update, unchanged, errors },
    rows: chosen.toSorted((a, b) => a.line - b.line),
    omitted: all - chosen.length,
  }
}

function fit(rows: PlannedRow[]): PlannedRow[] {
  let room = mostCharacters
  const first = rows.slice(0, mostRows).findIndex((row) => {
    room -= sizeOf(row)
    return room < 0
  })
  return rows.slice(0, first < 0 ? mostRows : first)
}

function sizeOf({ email, changes, errors }: PlannedRow): number {
  const texts = [
    ...changes.map(({ from, to }) => from + to),
    ...errors.map(({ message }) => message),
  ]
  return texts.reduce((sum, text) => sum + text.length + 50, email.length + 50)
}
