import type { EntityManager } from '@mikro-orm/postgresql'
import type { ActivityEntry } from '../../gen/daikon/v1/admin_records.ts'
import { findEntries } from './activity-log.ts'

export const exportFormats = ['csv', 'jsonl'] as const

export type ExportFormat = (typeof exportFormats)[number]

/** Entries held in memory at a time. */
const pageSize = 1000

/** Lower than the id of every entry. */
const lowestId = '00000000-0000-0000-0000-000000000000'

const columns = [
  'id',
  'created_at',
  'action',
  'target_type',
  'target_id',
  'actor_id',
  'workspace_id',
  'detail',
] as const

const writers: Record<ExportFormat, { header: string; line: (entry: ActivityEntry) => string }> = {
  csv: { header: `${columns.join(',')}\r\n`, line: csvLine },
  jsonl: { header: '', line: (entry) => `${JSON.stringify(entry)}\n` },
}

/** A piece of the exported text and the number of entries in it. */
export type ExportChunk = { text: string; entries: number }

/**
 * Exports the whole log page by page, oldest entry first. It may include entries that are recorded
 * while it runs.
 */
export async function* exportActivity(
  em: EntityManager,
  format: ExportFormat,
): AsyncGenerator<ExportChunk> {
  const { header, line } = writers[format]
  if (header) yield { text: header, entries: 0 }
  for (let after: string | undefined = lowestId; after; ) {
    const page = await findEntries(em, { after, limit: pageSize })
    if (page.length > 0) yield { text: page.map(line).join(''), entries: page.length }
    after = page.length === pageSize ? page.at(-1)?.id : undefined
  }
}

/** A record of RFC 4180. */
function csvLine(entry: ActivityEntry): string {
  const cells = columns.map((name) => {
    const value = entry[name] ?? ''
    return csvCell(typeof value === 'object' ? JSON.stringify(value) : String(value))
  })
  return `${cells.join(',')}\r\n`
}

/** Quotes a cell; an apostrophe keeps spreadsheets from evaluating it as a formula (CWE-1236). */
export function csvCell(text: string): string {
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}
