/** A column of a CSV file: a property of the rows, or a name and what it contains. */
export type CsvColumn<Row> = (keyof Row & string) | [name: string, read: (row: Row) => unknown]

/** Formats rows as CSV (RFC 4180), with the names of the columns in the first line. */
export function toCsv<Row>(columns: CsvColumn<Row>[], rows: Row[]): string {
  const names = columns.map((column) => (typeof column === 'string' ? column : column[0]))
  const lines = rows.map((row) =>
    columns.map((column) => (typeof column === 'string' ? row[column] : column[1](row))),
  )
  return [names, ...lines].map((cells) => `${cells.map(toCell).join(',')}\r\n`).join('')
}

/** Formats a cell. A spreadsheet does not evaluate it as a formula. */
export function toCell(value: unknown): string {
  const text = typeof value === 'string' ? value : value == null ? '' : JSON.stringify(value)
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
