import { toCell } from '../ui/csv.ts'

/** A record of a CSV file as it is written in the file, with the line on which it starts. */
type CsvRecord = { line: number; text: string }

/** The name of the column that `formatRejected` adds. */
const errorColumn = 'errors'

/** Splits a CSV file into its records, each with its line break. Quoted cells can contain line breaks. */
export function splitRecords(csv: string): CsvRecord[] {
  const records: CsvRecord[] = []
  const pattern = /"(?:[^"]|"")*"|\r\n|\n|\r|[^"\r\n]+|"/g
  let record: CsvRecord = { line: 1, text: '' }
  let line = 1
  for (const [token] of csv.matchAll(pattern)) {
    record.text += token
    line += countLineBreaks(token)
    if (!/^[\r\n]/.test(token)) continue
    records.push(record)
    record = { line, text: '' }
  }
  if (record.text) records.push(record)
  return records
}

/** Empties some of the lines. Empty lines are ignored, and the others keep their numbers. */
export function withoutRecords(csv: string, lines: ReadonlySet<number>): string {
  return splitRecords(csv)
    .map(({ line, text }) => (lines.has(line) ? '\n'.repeat(countLineBreaks(text)) : text))
    .join('')
}

/**
 * Returns the records with errors as a file: the errors in the first column, then the record as it is
 * written, so that it can be corrected and imported again.
 */
export function formatRejected(csv: string, errors: ReadonlyMap<number, string>): string {
  const [header, ...records] = splitRecords(csv.replace(/^\uFEFF/, ''))
  const rejected = records.flatMap(({ line, text }) => {
    const error = errors.get(line)
    return error === undefined ? [] : [`${toCell(error)},${trimEnd(text)}\r\n`]
  })
  return [`${errorColumn},${trimEnd(header?.text ?? '')}\r\n`, ...rejected].join('')
}

/** Removes the column that `formatRejected` has added, so that its file can be imported again. */
export function withoutErrorColumn(csv: string): string {
  const text = csv.replace(/^\uFEFF/, '')
  const name = new RegExp(`^"?${errorColumn}"?,`)
  if (!name.test(text)) return csv
  return splitRecords(text)
    .map((record) => record.text.replace(/^(?:"(?:[^"]|"")*"|[^,"\r\n]*),/, ''))
    .join('')
}

function trimEnd(record: string): string {
  return record.replace(/[\r\n]+$/, '')
}

function countLineBreaks(text: string): number {
  return text.match(/\r\n|\n|\r/g)?.length ?? 0
}
