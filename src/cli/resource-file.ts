import { CsvError, parse } from 'csv-parse/sync'
import { UsageError } from './failure.ts'
import { truncateLines } from './input-file.ts'

/** A line of a resource file with the fields of its registration. */
export type ResourceLine = { line: number; fields: Record<string, unknown> }

const fieldNames = [
  'service_name',
  'resource_type',
  'resource_id',
  'external_id',
  'workspace_id',
  'workspace_slug',
  'owner_id',
  'owner_email',
  'visibility',
]
const parentFieldNames = ['resource_type', 'resource_id', 'external_id']

/** In a CSV file, each field of the parent has its own column. */
const columns = [...fieldNames, ...parentFieldNames.map((name) => `parent_${name}`)]

/**
 * Parses a resource file: CSV with a header, or JSON Lines.
 *
 * @throws Error that lists every line that cannot be parsed
 */
export function parseResourceFile(path: string, text: string): ResourceLine[] {
  if (/\.csv$/i.test(path)) return parseCsv(text)
  if (/\.(jsonl|ndjson)$/i.test(path)) return parseJsonLines(text)
  throw new UsageError('The name of the file must end with .csv or .jsonl')
}

function parseCsv(text: string): ResourceLine[] {
  const [header, ...records] = readRecords(text)
  if (!header) throw new Error('The file has no header')
  const names = header.cells.map((cell) => cell.trim())
  const problems = [
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
  ]
  requireNoProblems(problems)
  return records.map(({ line, cells }) => {
    const values = names.map((name, index) => [name, cells[index]?.trim()] as const)
    const present = values.filter(([, value]) => value)
    const parent = present.filter(([name]) => name.startsWith('parent_'))
    const fields = Object.fromEntries(present.filter(([name]) => !name.startsWith('parent_')))
    if (parent.length === 0) return { line, fields }
    const parentFields = parent.map(([name, value]) => [name.replace('parent_', ''), value])
    return { line, fields: { ...fields, parent: Object.fromEntries(parentFields) } }
  })
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

function parseJsonLines(text: string): ResourceLine[] {
  const lines: ResourceLine[] = []
  const problems: string[] = []
  for (const [index, content] of text
    .replace(/^\uFEFF/, '')
    .split('\n')
    .entries()) {
    const line = index + 1
    if (content.trim() === '') continue
    const fields = parseObject(content)
    if (!fields) problems.push(`Line ${line}: must be a JSON object`)
    else {
      const unknown = findUnknownField(fields)
      if (unknown) problems.push(`Line ${line}: unknown field ${JSON.stringify(unknown)}`)
      lines.push({ line, fields })
    }
  }
  requireNoProblems(problems)
  return lines
}

/** Parses a JSON object and removes its null fields. Returns undefined if the text is not one. */
function parseObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text, (_key, value) => value ?? undefined)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function findUnknownField(fields: Record<string, unknown>): string | undefined {
  const unknown = Object.keys(fields).find((name) => ![...fieldNames, 'parent'].includes(name))
  if (unknown || !isObject(fields.parent)) return unknown
  const inParent = Object.keys(fields.parent).find((name) => !parentFieldNames.includes(name))
  return inParent && `parent.${inParent}`
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function requireNoProblems(problems: string[]): void {
  if (problems.length > 0) throw new Error(truncateLines(problems).join('\n'))
}
