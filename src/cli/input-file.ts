import { UsageError } from './failure.ts'

/** Decodes a file that is passed to a command. */
export function decodeUtf8(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw new UsageError('The file is not valid UTF-8')
  }
}

/** The maximum number of errors that are printed; `--json` prints all of them. */
const maxErrorLines = 20

export function truncateLines(lines: string[]): string[] {
  if (lines.length <= maxErrorLines) return lines
  const omitted = lines.length - maxErrorLines
  return [...lines.slice(0, maxErrorLines), `… and ${omitted} more`]
}
