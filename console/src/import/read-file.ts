import type { ChosenFile } from './import-requests.ts'
import { splitRecords, withoutErrorColumn } from './records.ts'

/** How a file differs from what an import expects, and the file as it would be if it were converted. */
export type Conversion = {
  /** What was found and what was expected. */
  problem: string
  /** What the button says. */
  action: string
  file: ChosenFile
}

/** A file as it is, or a conversion that the administrator has to choose. */
export type ReadFile = { file: ChosenFile } | { conversion: Conversion }

/** Reads a file in UTF-8. Another encoding is named, but never assumed. */
export async function readFile(file: File): Promise<ReadFile> {
  const bytes = new Uint8Array(await file.arrayBuffer())
  const encoding = findEncoding(bytes)
  if (encoding === undefined)
    return readText({ name: file.name, text: new TextDecoder().decode(bytes) })
  const { name, label } = encoding
  return {
    conversion: {
      problem:
        name === 'windows-1252'
          ? 'The file is not UTF-8. Spreadsheets often write Windows-1252: check the names below.'
          : `The file is ${label}, but UTF-8 is expected.`,
      action: `Read it as ${label}`,
      file: { name: file.name, text: new TextDecoder(name).decode(bytes) },
    },
  }
}

/**
 * Checks the separator of a file whose encoding is known, and removes the column of errors if it has
 * one.
 */
export function readText({ name, text }: ChosenFile): ReadFile {
  const [header] = splitRecords(text)
  const separator = [';', '\t'].find((candidate) => isSeparator(candidate, header?.text ?? ''))
  if (separator === undefined) return { file: { name, text: withoutErrorColumn(text) } }
  const label = separator === ';' ? 'semicolons' : 'tabs'
  return {
    conversion: {
      problem: `The columns are separated by ${label}, but commas are expected.`,
      action: `Separate by ${label}`,
      file: { name, text: withCommas(text, separator) },
    },
  }
}

/** Returns the encoding of bytes that are not UTF-8. */
function findEncoding(bytes: Uint8Array): { name: string; label: string } | undefined {
  const [first, second] = bytes
  if ((first === 0xff && second === 0xfe) || (first !== 0 && second === 0))
    return { name: 'utf-16le', label: 'UTF-16' }
  if ((first === 0xfe && second === 0xff) || (first === 0 && second !== 0))
    return { name: 'utf-16be', label: 'UTF-16' }
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return undefined
  } catch {
    return { name: 'windows-1252', label: 'Windows-1252' }
  }
}

/** Whether the names of columns are separated by another character than a comma. */
function isSeparator(separator: string, header: string): boolean {
  return header.includes(separator) && !header.includes(',')
}

/** Separates the cells of a file by commas. */
function withCommas(csv: string, separator: string): string {
  return splitRecords(csv.replace(/^\uFEFF/, ''))
    .map(({ text }) => {
      const [, content = '', end = ''] = /^(.*?)((?:\r\n|\n|\r)?)$/s.exec(text) ?? []
      return splitCells(content, separator).map(quoteCommas).join(',') + end
    })
    .join('')
}

/** Splits a record into its cells as they are written. */
function splitCells(record: string, separator: string): string[] {
  const cells = ['']
  let isQuoted = false
  for (const character of record) {
    if (character === '"') isQuoted = !isQuoted
    if (character === separator && !isQuoted) cells.push('')
    else cells[cells.length - 1] += character
  }
  return cells
}

function quoteCommas(cell: string): string {
  return cell.includes(',') && !cell.startsWith('"') ? `"${cell}"` : cell
}
