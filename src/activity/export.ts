import { setTimeout as sleep } from 'node:timers/promises'
import type { ActivityEntry } from '../../gen/daikon/v1/admin_records.ts'
import type { ActivityStore } from './store/activity-store.ts'

export const exportFormats = ['csv', 'jsonl'] as const

export type ExportFormat = (typeof exportFormats)[number]

/** The number of entries in memory at a time. */
const pageSize = 1000

/** Lower than the ID of every entry. */
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
  'service_app_id',
  'key_prefix',
  'request_id',
  'ip',
  'actor_type',
  'api_key_prefix',
  'agent_type',
  'agent_id',
  'delegation_id',
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
  { activity }: { activity: ActivityStore },
  format: ExportFormat,
): AsyncGenerator<ExportChunk> {
  const { header, line } = writers[format]
  if (header) yield { text: header, entries: 0 }
  for (let after: string | undefined = lowestId; after; ) {
    const page = await activity.find({ after, limit: pageSize })
    if (page.length > 0) yield { text: page.map(line).join(''), entries: page.length }
    after = page.length === pageSize ? page.at(-1)?.id : undefined
  }
}

/** Milliseconds between queries for new entries. */
const followInterval = 1000

/**
 * Exports the log in the order of its hash chain until `signal` is aborted. When all entries are
 * exported, waits for new ones, which are sealed within half a second. Unlike the order of IDs,
 * this order is final: no entry is ever added before one that was exported.
 */
export async function* followActivity(
  { activity }: { activity: ActivityStore },
  format: ExportFormat,
  signal: AbortSignal,
): AsyncGenerator<ExportChunk> {
  const { header, line } = writers[format]
  if (header) yield { text: header, entries: 0 }
  for (let sequence = 0; !signal.aborted; ) {
    const page = await activity.findSealed(sequence, pageSize)
    sequence = page.at(-1)?.sequence ?? sequence
    const lines = page.map(({ entry }) => line(entry))
    if (page.length > 0) yield { text: lines.join(''), entries: page.length }
    if (page.length < pageSize) await sleep(followInterval, undefined, { signal }).catch(() => {})
  }
}

/** Formats a record of a CSV file (RFC 4180). */
function csvLine(entry: ActivityEntry): string {
  const cells = columns.map((name) => {
    const value = entry[name] ?? ''
    return csvCell(typeof value === 'object' ? JSON.stringify(value) : String(value))
  })
  return `${cells.join(',')}\r\n`
}

/**
 * Quotes a cell if necessary. An apostrophe prevents spreadsheets from evaluating it as a formula
 * (CWE-1236).
 */
export function csvCell(text: string): string {
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}
