import { ActionIcon, Button, Menu, Skeleton, VisuallyHidden } from '@mantine/core'
import { memo, type ReactNode, useDeferredValue, useMemo, useState } from 'react'
import { afterPaint } from './after-paint.ts'
import classes from './data-table.module.css'
import { Icon } from './icon.tsx'
import { NativeSelect } from './native-select.tsx'
import { usePreference } from './preferences.ts'
import {
  PageCheckbox,
  Selectable,
  type Selection,
  SelectionBar,
  SelectionProvider,
} from './selection.tsx'
import { EmptyState, ErrorState } from './states.tsx'

const pageSizes = ['10', '20', '50', '100'].map((value) => ({ value, label: value }))

/**
 * A column. `header` is also its label in the column menu and, on a narrow screen, next to its
 * value.
 */
export type Column<Row> = {
  id: string
  header: string
  cell: (row: Row) => ReactNode
  /** Whether the column is hidden by default. */
  isOptional?: boolean
  align?: 'right'
  /** Whether the cells do not wrap on a wide screen. */
  isNowrap?: boolean
  /** Whether only assistive technology reads the header, because the cells need no explanation. */
  isHeaderHidden?: boolean
}

/** Creates the last column, with the actions for a row. */
export function actionColumn<Row>(cell: (row: Row) => ReactNode): Column<Row> {
  return { id: 'actions', header: 'Actions', isHeaderHidden: true, align: 'right', cell }
}

export type Paging = {
  page: number
  total: number
  pageSize: number
  onPage: (page: number) => void
  onPageSize: (pageSize: number) => void
}

type Props<Row> = {
  /**
   * The name of the table for assistive technology, under which its columns are also remembered.
   */
  label: string
  columns: Column<Row>[]
  rows: Row[] | undefined
  /** The property that identifies a row. */
  rowId: keyof Row
  error?: unknown
  onRetry?: () => void
  /** Filters above the table. They remain visible if the result is empty. */
  toolbar?: ReactNode
  /** Buttons beside the filters, such as a download. */
  tools?: ReactNode
  /** The selected rows, if rows can be selected. */
  selection?: Selection<Row>
  /** The actions on the selected rows. */
  selectionActions?: ReactNode
  /** Loads all rows that match the filters, so that they can be selected. */
  loadRows?: () => AsyncIterable<Row[]>
  /** Shown if there are no rows. */
  empty: ReactNode
  paging?: Paging
  /** Whether the rows belong to the previous page or filter while the next ones load. */
  isStale?: boolean
}

/** A table of objects; all lists use it. */
export function DataTable<Row extends object>({
  label,
  columns,
  rows,
  rowId,
  error,
  onRetry,
  toolbar,
  tools,
  selection,
  selectionActions,
  loadRows,
  empty,
  paging,
  isStale = false,
}: Props<Row>) {
  const [visibility, setVisibility] = usePreference<Record<string, boolean>>(
    `columns.${label}`,
    Object.fromEntries(columns.map(({ id, isOptional }) => [id, !isOptional])),
  )
  const visibleColumns = useMemo(
    () => columns.filter(({ id }) => visibility[id] !== false),
    [columns, visibility],
  )
  // Rows render in the background, in slices, so that clicks and keystrokes take effect before a
  // hundred rows have rendered.
  const renderedRows = useDeferredValue(rows)
  const renderedColumns = useDeferredValue(visibleColumns)
  // The pager shows the chosen page immediately, before the address changes.
  const [chosenPage, setChosenPage] = useState<number>()
  const isOutdated =
    isStale || chosenPage !== undefined || (renderedRows !== rows && renderedRows !== undefined)
  // Tables on other pages show only their most important columns.
  const hasColumnMenu = columns.length > 3 && toolbar !== undefined

  function choosePage(page: number) {
    setChosenPage(page)
    const address = location.href
    afterPaint(() => {
      // A search that has changed the address in the meantime begins on its first page.
      if (location.href === address) paging?.onPage(page)
      setChosenPage(undefined)
    })
  }

  return (
    <div className={classes.wrapper}>
      {(toolbar || tools) && (
        <div className={classes.toolbar}>
          <div className={classes.filters}>{toolbar}</div>
          <div className={classes.tools}>
            {tools}
            {hasColumnMenu && (
              <ColumnMenu columns={columns} visibility={visibility} onChange={setVisibility} />
            )}
          </div>
        </div>
      )}
      {isOutdated && <div className={classes.progress} />}
      {error && !rows ? (
        <ErrorState error={error} {...(onRetry ? { onRetry } : {})} />
      ) : rows?.length === 0 && paging && paging.page > 1 ? (
        <EmptyState
          icon="file"
          title="This page is empty"
          action={
            <Button variant="default" onClick={() => paging.onPage(1)}>
              Go to the first page
            </Button>
          }
        />
      ) : rows?.length === 0 ? (
        empty
      ) : (
        <div className={classes.scroll}>
          {/* Explicit roles, because narrow screens show rows as blocks, which have no roles. */}
          <table
            role="table"
            aria-label={label}
            aria-busy={!renderedRows || isOutdated}
            className={classes.table}
          >
            <SelectionProvider selection={selection}>
              <TableContent columns={renderedColumns} rows={renderedRows} rowId={rowId} />
            </SelectionProvider>
          </table>
        </div>
      )}
      {selection && (
        <SelectionBar<Row>
          selection={selection}
          all={
            loadRows &&
            paging && { total: paging.total, load: loadRows, idOf: (row) => String(row[rowId]) }
          }
        >
          {selectionActions}
        </SelectionBar>
      )}
      {paging && rows && rows.length > 0 && (
        <Pager
          {...paging}
          page={chosenPage ?? paging.page}
          onPage={choosePage}
          rowCount={rows.length}
        />
      )}
    </div>
  )
}

type TableContentProps<Row> = {
  columns: Column<Row>[]
  rows: Row[] | undefined
  rowId: keyof Row
}

/**
 * The head and the rows. Memoized, so that they do not render again when only the busy state of the
 * table changes.
 */
const TableContent = memo(function TableContent<Row extends object>({
  columns,
  rows,
  rowId,
}: TableContentProps<Row>) {
  const rowsById = useMemo(
    () => new Map((rows ?? []).map((row) => [String(row[rowId]), row])),
    [rows, rowId],
  )
  return (
    <>
      <thead role="rowgroup">
        <tr role="row">
          {columns.map(({ id, header, align, isHeaderHidden }, index) => (
            <th key={id} role="columnheader" scope="col" data-align={align}>
              {index === 0 && <PageCheckbox rows={rowsById} />}
              {isHeaderHidden ? <VisuallyHidden>{header}</VisuallyHidden> : header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rowsById.size > 0 ? (
          [...rowsById].map(([id, row]) => (
            <TableRow key={id} id={id} row={row} columns={columns} />
          ))
        ) : (
          <SkeletonRows columns={columns.length} />
        )}
      </tbody>
    </>
  )
}) as <Row extends object>(props: TableContentProps<Row>) => ReactNode

type TableRowProps<Row> = { id: string; row: Row; columns: Column<Row>[] }

/**
 * Memoized, so that a row renders again only if its data or the columns change. A list can have
 * hundreds of rows.
 */
const TableRow = memo(function TableRow<Row extends object>({
  id,
  row,
  columns,
}: TableRowProps<Row>) {
  return (
    <tr role="row">
      {columns.map((column, index) => (
        <td
          key={column.id}
          role="cell"
          data-label={readLabel(column)}
          data-align={column.align}
          data-nowrap={column.isNowrap || undefined}
        >
          {index === 0 ? (
            <Selectable id={id} row={row}>
              <div className={classes.value}>{column.cell(row)}</div>
            </Selectable>
          ) : (
            <div className={classes.value}>{column.cell(row)}</div>
          )}
        </td>
      ))}
    </tr>
  )
}) as <Row extends object>(props: TableRowProps<Row>) => ReactNode

/** Returns the label of a cell on a narrow screen. */
function readLabel<Row>({ header, isHeaderHidden }: Column<Row>): string {
  return isHeaderHidden ? '' : header
}

function SkeletonRows({ columns }: { columns: number }) {
  return Array.from({ length: 6 }, (_, row) => (
    <tr key={row} role="row">
      {Array.from({ length: columns }, (_, column) => (
        <td key={column} role="cell">
          <Skeleton height={14} width={column === 0 ? '70%' : '45%'} />
        </td>
      ))}
    </tr>
  ))
}

type ColumnMenuProps = {
  columns: Pick<Column<never>, 'id' | 'header'>[]
  visibility: Record<string, boolean>
  onChange: (visibility: Record<string, boolean>) => void
}

const ColumnMenu = memo(function ColumnMenu({ columns, visibility, onChange }: ColumnMenuProps) {
  return (
    <Menu closeOnItemClick={false} position="bottom-end">
      <Menu.Target>
        <ActionIcon variant="default" size={36} aria-label="Choose columns">
          <Icon name="columns" />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>Columns</Menu.Label>
        {/* The first column identifies the row and is always shown. */}
        {columns.slice(1).map(({ id, header }) => {
          const isVisible = visibility[id] !== false
          return (
            <Menu.CheckboxItem
              key={id}
              checked={isVisible}
              onChange={(checked) => onChange({ ...visibility, [id]: checked })}
            >
              {header}
            </Menu.CheckboxItem>
          )
        })}
      </Menu.Dropdown>
    </Menu>
  )
})

/** The buttons to other pages of a list. */
export function Pager({
  label = 'Pages',
  page,
  total,
  pageSize,
  onPage,
  onPageSize,
  rowCount,
}: Paging & { label?: string; rowCount: number }) {
  const first = (page - 1) * pageSize + 1
  const lastPage = Math.max(1, Math.ceil(total / pageSize))
  return (
    <nav className={classes.pager} aria-label={label}>
      <span>
        {first.toLocaleString()}–{(first + rowCount - 1).toLocaleString()} of{' '}
        {total.toLocaleString()}
      </span>
      <div className={classes.pagerControls}>
        <NativeSelect
          label="Rows per page"
          options={pageSizes}
          value={String(pageSize)}
          onChange={(value) => onPageSize(Number(value))}
        />
        <ActionIcon
          variant="default"
          size={30}
          aria-label="Previous page"
          disabled={page <= 1}
          onClick={() => onPage(page - 1)}
        >
          <Icon name="chevronLeft" size={16} />
        </ActionIcon>
        <ActionIcon
          variant="default"
          size={30}
          aria-label="Next page"
          disabled={page >= lastPage}
          onClick={() => onPage(page + 1)}
        >
          <Icon name="chevronRight" size={16} />
        </ActionIcon>
      </div>
    </nav>
  )
}
