import type { EntityManager } from '@mikro-orm/postgresql'
import type { ActivityEntry } from '../../gen/daikon/v1/admin_records.ts'
import { readEntries } from './activity-log.ts'

/** How the log can be written. */
export const exportFormats = ['csv', 'jsonl'] as const

export type ExportFormat = (typeof exportFormats)[number]

/** Entries read at once: what is held in memory, however long the log is. */
const pageSize = 1000

/** Less than every id. */
const beforeAll = '00000000-0000-0000-0000-000000000000'

const columns = [
  ...(['id', 'created_at', 'action', 'target_type', 'target_id'] as const),
  ...(['actor_id', 'workspace_id', 'detail'] as const),
]

const writers: Record<ExportFormat, { head: string; line: (entry: ActivityEntry) => string }> = {
  csv: { head: `${columns.join(',')}\r\n`, line: csvLine },
  jsonl: { head: '', line: (entry) => `${JSON.stringify(entry)}\n` },
}

/** A part of the log as text, and how many entries it holds. */
export type ExportPart = { text: string; entries: number }

/** The whole log, the oldest first, page by page; what happens meanwhile may be in it at its end. */
export async function* exportActivity(
  em: EntityManager,
  format: ExportFormat,
): AsyncGenerator<ExportPart> {
  const { head, line } = writers[format]
  if (head) yield { text: head, entries: 0 }
  for (let after: string | undefined = beforeAll; after; ) {
    const page = await readEntries(em, { after, limit: pageSize })
    if (page.length > 0) yield { text: page.map(line).join(''), entries: page.length }
    after = page.length === pageSize ? page.at(-1)?.id : undefined
  }
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
