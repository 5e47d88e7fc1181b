import { useMemo } from 'react'
import { Badge, type BadgeColor } from '../ui/badges.tsx'
import { type Column, DataTable } from '../ui/data-table.tsx'
import { EmptyState } from '../ui/states.tsx'
import type { ImportReport, ImportRow } from './import-requests.ts'

/** The maximum number of rows in the table. */
const maxRows = 200

const actionBadges: Record<string, { label: string; color: BadgeColor }> = {
  create: { label: 'New', color: 'leaf' },
  update: { label: 'Changed', color: 'blue' },
  unchanged: { label: 'Unchanged', color: 'gray' },
  error: { label: 'Error', color: 'red' },
}

const columns: Column<ImportRow>[] = [
  { id: 'email', header: 'E-mail address', cell: ({ email }) => email },
  { id: 'line', header: 'Line', cell: ({ line }) => line.toLocaleString() },
  {
    id: 'action',
    header: 'Result',
    cell: ({ action }) => {
      const badge = actionBadges[action]
      return <Badge color={badge?.color ?? 'gray'}>{badge?.label ?? action}</Badge>
    },
  },
  { id: 'detail', header: 'Detail', cell: (row) => <RowDetail row={row} /> },
]

/** Shows the rows of a report, errors first. */
export function RowTable({ report, filter }: { report: ImportReport; filter: string }) {
  const sorted = useMemo(() => {
    const matching = report.rows.filter(({ action }) => filter === 'all' || action === filter)
    return matching.toSorted((a, b) => rank(a) - rank(b))
  }, [report, filter])
  const rows = useMemo(() => sorted.slice(0, maxRows), [sorted])
  const hidden = report.omitted + Math.max(0, sorted.length - maxRows)
  return (
    <>
      <DataTable
        label="Rows"
        columns={columns}
        rows={rows}
        rowId="line"
        empty={<EmptyState icon="check" title="No such rows" />}
      />
      {hidden > 0 && <p className="dimmed">{hidden.toLocaleString()} more rows are not shown.</p>}
    </>
  )
}

function rank({ action }: ImportRow): number {
  return ['error', 'create', 'update', 'unchanged'].indexOf(action)
}

function RowDetail({ row: { errors, changes } }: { row: ImportRow }) {
  if (errors.length > 0) {
    return (
      <>
        {errors.map(({ field, message }) => (
          <div key={`${field} ${message}`}>
            {field && <b>{field}</b>} {message}
          </div>
        ))}
      </>
    )
  }
  return (
    <>
      {changes.map(({ field, from, to }) => (
        <div key={field}>
          <span className="dimmed">{field.replaceAll('_', ' ')}</span> {from && `${from} → `}
          {to}
        </div>
      ))}
    </>
  )
}
