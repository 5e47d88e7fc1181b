import { createContext, type ReactNode, use, useMemo, useState } from 'react'
import { loadAll, maxRows } from './load-rows.ts'
import { notifyFailure } from './notify.ts'
import classes from './selection.module.css'

/** The rows that are selected in a list, by their IDs. */
export type Selection<Row> = {
  rows: ReadonlyMap<string, Row>
  change: (rows: ReadonlyMap<string, Row>) => void
  /** Returns the name of a row for assistive technology. */
  nameOf: (row: Row) => string
}

/**
 * Remembers selected rows across the pages of a list. A change of `key`, such as of the filters, ends
 * the selection, because the administrator may no longer see what is selected.
 */
export function useSelection<Row>(key: string, nameOf: (row: Row) => string): Selection<Row> {
  const [state, setState] = useState({ key, rows: new Map() as ReadonlyMap<string, Row> })
  const rows = useMemo(
    () => (state.key === key ? state.rows : new Map<string, Row>()),
    [state, key],
  )
  return { rows, change: (rows) => setState({ key, rows }), nameOf }
}

/** Ends the selection except for some rows. */
export function keepSelected<Row>({ rows, change }: Selection<Row>, ids: string[]): void {
  change(new Map([...rows].filter(([id]) => ids.includes(id))))
}

const SelectionContext = createContext<Selection<never> | undefined>(undefined)

/** Provides the selection to the checkboxes, so that a click renders only them and not the rows. */
export function SelectionProvider<Row>({
  selection,
  children,
}: {
  selection: Selection<Row> | undefined
  children: ReactNode
}) {
  return (
    <SelectionContext value={selection as Selection<never> | undefined}>
      {children}
    </SelectionContext>
  )
}

/** Puts a checkbox before the first cell of a row that can be selected. */
export function Selectable({ id, row, children }: SelectableProps) {
  const selection = use(SelectionContext)
  if (!selection) return children
  const { rows, change, nameOf } = selection as unknown as Selection<object>
  function toggle(isSelected: boolean) {
    const next = new Map(rows)
    if (isSelected) next.set(id, row)
    else next.delete(id)
    change(next)
  }
  return (
    <div className={classes.selectable}>
      <input
        type="checkbox"
        className={classes.checkbox}
        aria-label={`Select ${nameOf(row)}`}
        checked={rows.has(id)}
        onChange={(event) => toggle(event.currentTarget.checked)}
      />
      {children}
    </div>
  )
}

type SelectableProps = { id: string; row: object; children: ReactNode }

/** The checkbox in the head of a list, which selects all rows of the page. */
export function PageCheckbox({ rows: shown }: { rows: ReadonlyMap<string, object> }) {
  const selection = use(SelectionContext)
  if (!selection) return null
  const { rows, change } = selection as unknown as Selection<object>
  const isEvery = shown.size > 0 && [...shown.keys()].every((id) => rows.has(id))
  const isSome = [...shown.keys()].some((id) => rows.has(id))
  function toggle(isSelected: boolean) {
    const next = new Map(rows)
    for (const [id, row] of shown) {
      if (isSelected) next.set(id, row)
      else next.delete(id)
    }
    change(next)
  }
  return (
    <input
      type="checkbox"
      className={classes.checkbox}
      aria-label="Select all rows of this page"
      ref={(input) => {
        if (input) input.indeterminate = isSome && !isEvery
      }}
      checked={isEvery}
      onChange={(event) => toggle(event.currentTarget.checked)}
    />
  )
}

/** The actions on the selected rows. It stays in view at the end of a long list. */
export function SelectionBar<Row>({
  selection,
  all,
  children,
}: {
  selection: Selection<Row>
  all: AllRows<Row> | undefined
  children: ReactNode
}) {
  const count = selection.rows.size
  const offersAll = all !== undefined && all.total > count
  return (
    <div role="status" className={classes.bar} data-empty={count === 0 || undefined}>
      {count > 0 && (
        <>
          <span>
            <b>{count.toLocaleString()}</b> selected
            {offersAll && <SelectAll selection={selection} all={all} />}
            <button
              type="button"
              className={classes.clear}
              onClick={() => selection.change(new Map())}
            >
              Clear the selection
            </button>
          </span>
          <div className={classes.actions}>{children}</div>
        </>
      )}
    </div>
  )
}

/** All rows that match the filters of a list: how many there are, and how their pages are loaded. */
export type AllRows<Row> = {
  total: number
  load: () => AsyncIterable<Row[]>
  idOf: (row: Row) => string
}

/** Selects all rows that match, also those on other pages. */
function SelectAll<Row>({ selection, all }: { selection: Selection<Row>; all: AllRows<Row> }) {
  const [isLoading, setLoading] = useState(false)
  async function select() {
    setLoading(true)
    try {
      const rows = await loadAll(all.load())
      selection.change(new Map(rows.map((row) => [all.idOf(row), row])))
    } catch (error) {
      notifyFailure(error)
    } finally {
      setLoading(false)
    }
  }
  const count = Math.min(all.total, maxRows).toLocaleString()
  return (
    <button type="button" className={classes.clear} disabled={isLoading} onClick={select}>
      {isLoading
        ? 'Loading…'
        : all.total > maxRows
          ? `Select the first ${count} of ${all.total.toLocaleString()} that match`
          : `Select all ${count} that match`}
    </button>
  )
}
