import { setImmediate } from 'node:timers/promises'
import { CsvError, parse } from 'csv-parse'
import { type FieldViolation, invalidArgument, ServiceError } from '../../core/errors.ts'
import type { OnProgress } from './on-progress.ts'
import type { Row } from './plan.ts'
import { type Column, columns, readRow } from './row.ts'

/** A file, read. */
export type ParsedCsv = { columns: Column[]; rows: Row[] }

/** Bytes (specification 8). */
const largestFile = 5 * 1024 * 1024

/** Characters; a quote that nobody closes may not swallow the file. */
const longestRecord = 64 * 1024

/** Bytes read before others have their turn. */
const chunk = 8 * 1024

const required: Column[] = ['email', 'workspace_slug']

/** Reads a file of members; throws where there is no telling its rows. */
export async function parseCsv(csv: string, tell: OnProgress): Promise<ParsedCsv> {
  const bytes = Buffer.from(csv)
  if (bytes.length > largestFile)
    throw new ServiceError(
      'payload_too_large',
      'FILE_TOO_LARGE',
      `The file has more than ${largestFile} bytes`,
    )
  let header: Column[] | undefined
  const rows: Row[] = []
  const parser = parse({
    bom: true,
    max_record_size: longestRecord,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    on_record(cells: string[], { lines }) {
      if (header) rows.push(readRow(lines - breaks(cells), cells, header))
      else header = readHeader(cells)
      return null
    },
  })
  const ended = new Promise<void>((resolve, reject) => {
    parser.on('end', resolve).on('error', (error) => reject(fileFault(error)))
  })
  // It may reject while chunks are still on their way.
  ended.catch(() => {})
  parser.resume()
  for (let at = 0; at < bytes.length && !parser.destroyed; at += chunk) {
    parser.write(bytes.subarray(at, at + chunk))
    tell('Reading', at, bytes.length)
    await setImmediate()
  }
  if (!parser.destroyed) parser.end()
  await ended
  if (!header) throw invalidArgument({ field: 'csv', message: 'has no header' })
  return { columns: header, rows }
}

function readHeader(cells: string[]): Column[] {
  const names = cells.map((cell) => cell.trim())
  const unknown = names.filter((name) => !isColumn(name))
  const repeated = names.filter((name, at) => names.indexOf(name) !== at)
  const missing = required.filter((name) => !names.includes(name))
  const quote = (name: string) => JSON.stringify(name.slice(0, 100))
  const say = (message: string): FieldViolation => ({ field: 'csv', message })
  const problems = [
    ...unknown.map((name) => say(`has an unknown column: ${quote(name)}`)),
    ...[...new Set(repeated)].map((name) => say(`repeats the column ${quote(name)}`)),
    ...missing.map((name) => say(`lacks the column ${name}`)),
  ]
  if (problems.length > 0) throw invalidArgument(...problems.slice(0, 20))
  return names.filter(isColumn)
}

function isColumn(name: string): name is Column {
  return columns.some((column) => column === name)
}

/** The line breaks within a record: the parser counts up to its end. */
function breaks(cells: string[]): number {
  return cells.reduce((sum, cell) => sum + (cell.match(/\r\n|\n|\r/g)?.length ?? 0), 0)
}

function fileFault(error: Error): Error {
  if (!(error instanceof CsvError)) return error
  const line = `has, on line ${String(error.lines)},`
  const message =
    error.code === 'CSV_MAX_RECORD_SIZE'
      ? `${line} more than ${longestRecord} characters in a row, or a quote that nobody closes`
      : `${line} a quote out of place`
  return invalidArgument({ field: 'csv', message })
}
