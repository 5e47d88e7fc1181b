import type { ActivityEntry } from './activity-queries.ts'

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
] as const

/** Formats entries as CSV (RFC 4180). */
export function toCsv(entries: ActivityEntry[]): string {
  const rows = entries.map((entry) => columns.map((column) => toCell(entry[column])).join(','))
  return `${[columns.join(','), ...rows].join('\r\n')}\r\n`
}

function toCell(value: unknown): string {
  const text = typeof value === 'string' ? value : value == null ? '' : JSON.stringify(value)
  // A spreadsheet would evaluate a cell that starts with one of these characters as a formula.
  const safe = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
