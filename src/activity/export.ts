import type { EntityManager } from '@mikro-orm/postgresql'
import type { ActivityEntry } from '../../gen/daikon/v1/admin_records.ts'
import { readEntries } from './log.ts'

/** How the log can be written. */
export const exportFormats = ['csv', 'jsonl'] as const

export type ExportFormat = (typeof exportFormats)[number]

/** Entries read at once: what is held in memory, however long the log is. */
const pageSize = 1000

const columns = [
  ...(['id', 'created_at', 'action', 'target_type', 'target_id'] as const),
  ...(['actor_id', 'workspace_id', 'detail'] as const),
]

const writers: Record<ExportFormat, { head: string; line: (entry: ActivityEntry) => string }> = {
  csv: { head: `${columns.join(',')}\r\n`, line: csvLine },
  jsonl: { head: '', line: (entry) => `${JSON.stringify(entry)}\n` },
}

/** The whole log, the oldest first, page by page as text. */
export async function* exportActivity(
  em: EntityManager,
  format: ExportFormat,
): AsyncGenerator<string> {
  const { head, line } = writers[format]
  if (head) yield head
  let after: string | undefined
  do {
    const page = await readEntries(em, after ? { id: { $gt: after } } : {}, 'asc', pageSize)
    if (page.length > 0) yield page.map(line).join('')
    after = page.length === pageSize ? page.at(-1)?.id : undefined
  } while (after)
}

/** RFC 4180. */
function csvLine(entry: ActivityEntry): string {
  const cells = columns.map((name) => {
    const value = entry[name] ?? ''
    return csvCell(typeof value === 'object' ? JSON.stringify(value) : String(value))
  })
  return `${cells.join(',')}\r\n`
}

/** Quoted; what a spreadsheet would take for a formula begins with an apostrophe (CWE-1236). */
export function csvCell(text: string): string {
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}
