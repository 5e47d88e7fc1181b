import { CsvError, parse } from 'csv-parse'
import { invalidArgument, ServiceError } from '../core/errors.ts'
import type { OnProgress } from '../core/on-progress.ts'
import { createTurns } from '../core/turns.ts'
import type { Row } from './plan-input.ts'
import { reasons } from './reasons.ts'
import { type Column, columns, readRow } from './row.ts'

export type ParsedCsv = { columns: Column[]; rows: Row[] }

/** In bytes. */
const maxFileSize = 5 * 1024 * 1024

/** In characters. Limits how much text an unclosed quote can consume. */
const maxRecordLength = 64 * 1024

/** The maximum number of cells in a row, and in the header. */
const maxColumns = 100

/** The number of bytes parsed before yielding to the event loop. */
const chunkSize = 8 * 1024

/** The turns of all imports of this node, so that many at once occupy the event loop like one. */
export const takeImportTurn = createTurns()

const requiredColumns: Column[] = ['email', 'workspace_slug']

/** Parses a CSV file. Throws if the file has no valid header or cannot be split into records. */
export async function parseCsv(csv: string, onProgress: OnProgress): Promise<ParsedCsv> {
  const bytes = Buffer.from(csv)
  if (bytes.length > maxFileSize) {
    throw new ServiceError(
      reasons.FILE_TOO_LARGE,
      `The file must be at most ${maxFileSize} bytes long`,
    )
  }
  await takeImportTurn()
  let header: Column[] | undefined
  const rows: Row[] = []
  const parser = parse({
    bom: true,
    // The maximum size of a record does not count delimiters, and `on_record` is called at its end.
    cast(cell, { index, lines }) {
      if (index >= maxColumns) throw tooManyCells(header ? lines : undefined)
      return cell
    },
    max_record_size: maxRecordLength,
    record_delimiter: ['\r\n', '\n', '\r'],
    relax_column_count: true,
    skip_empty_lines: true,
    on_record(cells: string[], { lines }) {
      // The parser reports the last line of each record.
      if (header) rows.push(readRow(lines - countLineBreaks(cells), cells, header))
      else header = readHeader(cells)
      return null
    },
  })
  const ended = new Promise<void>((resolve, reject) => {
    parser.on('end', resolve).on('error', (error) => reject(parseError(error)))
  })
  // The promise may reject before it is awaited.
  ended.catch(() => {})
  parser.resume()
  for (let offset = 0; offset < bytes.length && !parser.destroyed; offset += chunkSize) {
    parser.write(bytes.subarray(offset, offset + chunkSize))
    onProgress('Reading', offset, bytes.length)
    await takeImportTurn()
  }
  if (!parser.destroyed) parser.end()
  await ended
  if (!header) throw invalidArgument({ field: 'csv', message: 'has no header' })
  return { columns: header, rows }
}

function readHeader(cells: string[]): Column[] {
  const names = cells.map((cell) => cell.trim())
  const unknown = names.filter((name) => !isColumn(name))
  const duplicates = names.filter((name, index) => names.indexOf(name) !== index)
  const missing = requiredColumns.filter((name) => !names.includes(name))
  const quote = (name: string) => JSON.stringify(name.slice(0, 100))
  const messages = [
    ...unknown.map((name) => `has an unknown column: ${quote(name)}`),
    ...[...new Set(duplicates)].map((name) => `has a duplicate column: ${quote(name)}`),
    ...missing.map((name) => `is missing the column ${name}`),
  ]
  if (messages.length > 0) {
    throw invalidArgument(...messages.slice(0, 20).map((message) => ({ field: 'csv', message })))
  }
  return names.filter(isColumn)
}

function isColumn(name: string): name is Column {
  return columns.some((column) => column === name)
}

function countLineBreaks(cells: string[]): number {
  return cells.reduce((sum, cell) => sum + (cell.match(/\r\n|\n|\r/g)?.length ?? 0), 0)
}

/** Without a line, it is the header that has too many columns. */
function tooManyCells(line: number | undefined): ServiceError {
  const message =
    line === undefined
      ? `has more than ${maxColumns} columns`
      : `has a row of more than ${maxColumns} cells on line ${line}`
  return invalidArgument({ field: 'csv', message })
}

function parseError(error: Error): Error {
  if (!(error instanceof CsvError)) return error
  const line = String(error.lines)
  const message =
    error.code === 'CSV_MAX_RECORD_SIZE'
      ? `has a row of more than ${maxRecordLength} characters or an unclosed quote on line ${line}`
      : `has an unexpected or unclosed quote on line ${line}`
  return invalidArgument({ field: 'csv', message })
}
