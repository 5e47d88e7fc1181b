import { CsvError, parse } from 'csv-parse/sync'
import { isJsonObject, parseJsonObject } from '../core/json-object.ts'
import { UsageError } from './failure.ts'
import { truncateLines } from './input-file.ts'

/** A line of a file with its fields. */
export type FileLine = { line: number; fields: Record<string, unknown> }

/** The fields that the lines of a file can have. In CSV, each is a column. */
export type FileFields = {
  names: string[]
  /** Fields that are JSON objects, as text in CSV. */
  json: string[]
  /** The fields of objects. In CSV, they are columns such as `parent_resource_type`. */
  objects: Record<string, string[]>
}

/**
 * Parses a file of records: CSV with a header, or JSON Lines.
 *
 * @throws Error that lists every line that cannot be parsed
 */
export function parseRecordFile(path: string, text: string, fields: FileFields): FileLine[] {
  if (/\.csv$/i.test(path)) return parseCsv(text, fields)
  if (/\.(jsonl|ndjson)$/i.test(path)) return parseJsonLines(text, fields)
  throw new UsageError('The name of the file must end with .csv or .jsonl')
}

function parseCsv(text: string, { names: fieldNames, json, objects }: FileFields): FileLine[] {
  const nested = new Map<string, { object: string; name: string }>(
    Object.entries(objects).flatMap(([object, names]) =>
      names.map((name) => [`${object}_${name}`, { object, name }] as const),
    ),
  )
  const columns = [...fieldNames, ...json, ...nested.keys()]
  const [header, ...records] = readRecords(text)
  if (!header) throw new Error('The file has no header')
  const names = header.cells.map((cell) => cell.trim())
  requireNoProblems([
    ...names
      .filter((name) => !columns.includes(name))
      .map((name) => `Line 1: unknown column ${JSON.stringify(name)}`),
    ...names
      .filter((name, index) => names.indexOf(name) !== index)
      .map((name) => `Line 1: duplicate column ${name}`),
    ...records
      .filter(({ cells }) => cells.length !== names.length)
      .map(
        ({ line, cells }) =>
          `Line ${line}: has ${cells.length} cells, but the header has ${names.length}`,
      ),
  ])
  const problems: string[] = []
  const lines = records.map(({ line, cells }) => {
    const fields: Record<string, unknown> = {}
    for (const [index, column] of names.entries()) {
      const text = cells[index]?.trim()
      if (!text) continue
      const place = nested.get(column)
      if (place) {
        const { object, name } = place
        fields[object] = { ...(fields[object] as object | undefined), [name]: text }
      } else if (json.includes(column)) {
        fields[column] = parseJsonObject(text)
        if (!fields[column]) problems.push(`Line ${line}: ${column} must be a JSON object`)
      } else fields[column] = text
    }
    return { line, fields }
  })
  requireNoProblems(problems)
  return lines
}

/** Returns the cells of each record and the line on which the record ends. */
function readRecords(text: string): { line: number; cells: string[] }[] {
  try {
    const records = parse(text, {
      bom: true,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
    }) as unknown as { record: string[]; info: { lines: number } }[]
    return records.map(({ record, info }) => ({ line: info.lines, cells: record }))
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    throw new Error(`Line ${error.lines}: unexpected or unclosed quote`)
  }
}

function parseJsonLines(text: string, accepted: FileFields): FileLine[] {
  const lines: FileLine[] = []
  const problems: string[] = []
  for (const [index, content] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    const line = index + 1
    if (content.trim() === '') continue
    const parsed = parseJsonObject(content)
    if (!parsed) {
      problems.push(`Line ${line}: must be a JSON object`)
      continue
    }
    const fields = withoutNulls(parsed, accepted)
    const unknown = findUnknownField(fields, accepted)
    if (unknown) problems.push(`Line ${line}: unknown field ${JSON.stringify(unknown)}`)
    lines.push({ line, fields })
  }
  requireNoProblems(problems)
  return lines
}

/** Removes fields that are null, which means that they are absent. */
function withoutNulls(
  fields: Record<string, unknown>,
  { objects }: Pick<FileFields, 'objects'>,
): Record<string, unknown> {
  const present = Object.entries(fields).filter(([, value]) => value !== null)
  return Object.fromEntries(
    present.map(([name, value]) => {
      const isNested = name in objects && isJsonObject(value)
      return [name, isNested ? withoutNulls(value, { objects: {} }) : value]
    }),
  )
}

function findUnknownField(
  fields: Record<string, unknown>,
  { names, json, objects }: FileFields,
): string | undefined {
  const acceptedNames = [...names, ...json, ...Object.keys(objects)]
  const unknown = Object.keys(fields).find((name) => !acceptedNames.includes(name))
  if (unknown) return unknown
  for (const [object, names] of Object.entries(objects)) {
    const value = fields[object]
    if (!isJsonObject(value)) continue
    const inObject = Object.keys(value).find((name) => !names.includes(name))
    if (inObject) return `${object}.${inObject}`
  }
  return undefined
}

function requireNoProblems(problems: string[]): void {
  if (problems.length > 0) throw new Error(truncateLines(problems).join('\n'))
}
