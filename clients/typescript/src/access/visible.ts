import { invalidArgument } from '../errors.ts'
import { chooseShape, type Shape } from './choose-shape.ts'
import { type DatabasePool, inTransaction } from './copy/database.ts'
import {
  countFew,
  countMany,
  fewCondition,
  fewOfFoldersCondition,
  type ListShape,
  lazyCondition,
  manyCondition,
} from './copy/sql/lists.ts'

export type { Shape } from './choose-shape.ts'

/** Whether a column of the option `columns` repeats what rows accept now. `none` if there is no such column. */
export type ColumnState = 'none' | 'stale' | 'current'

/** The parts of a query, which depend on how many rows are visible. */
export type PageFragments = {
  /**
   * A condition on the column with the key. `placeholder`, such as `$1`, stands for `keys`. `accepts` is the
   * column of the option `columns`, such as `d.daikon_accepts`.
   */
  sql(column: string, placeholder: string, accepts?: string): string
  keys: string[]
  /**
   * Whether no check is needed, a boolean for the list of columns. `placeholder` stands for `certainKeys`.
   */
  certain(column: string, placeholder: string, accepts?: string): string
  certainKeys: string[]
}

/** A query of `pg`. */
export type ListQuery = { text: string; values: unknown[] }

/** What a subject may see, for queries of the service's own database. */
export type Visible = PageFragments & {
  shape: Shape
  /** When a membership of the subject ends, and with it what it allows. */
  validUntil: Date | undefined
  /**
   * Returns how many resources are visible in the copy, at most `limit`. Counts rows that need a check only
   * with `includeMaybe`.
   */
  count(options: { limit: number }): Promise<number>
  /**
   * Runs the query of a page. If it does not find enough rows in time, because those that are visible come
   * late in its order, the query is built and run again with a condition that finds them first.
   *
   * @example
   * const documents = await visible.page<Document>(({ sql, keys }) => ({
   *   text: `select d.* from documents d where ${sql('d.id', '$1')} order by d.title limit 20`,
   *   values: [keys],
   * }))
   */
  page<Row = Record<string, unknown>>(
    build: (fragments: PageFragments) => ListQuery,
    options?: { timeoutMs?: number | undefined },
  ): Promise<Row[]>
}

/** The row of `resolveKeys`. */
export type ResolvedKeys = {
  certain: string[]
  maybe: string[]
  own_certain: string[]
  own_maybe: string[]
  folders: number
  granted: number
  certain_estimate: number
  estimate: number
  total: number | null
}

/** The time after which a page is run in another shape, in milliseconds. */
const pageTimeoutMs = 100

/** The SQLSTATE of a statement that took longer than `statement_timeout`. */
const queryCanceled = '57014'

export function createVisible(
  pool: DatabasePool,
  list: ListShape,
  resolved: ResolvedKeys,
  {
    rows,
    isCut,
    validUntil,
    column,
  }: { rows: number; isCut: boolean; validUntil: Date | undefined; column: ColumnState },
): Visible {
  const { includesMaybe } = list
  const choose = (rows: number) =>
    chooseShape({
      estimate: includesMaybe ? resolved.estimate : resolved.certain_estimate,
      rows,
      total: resolved.total ?? 0,
      folders: resolved.folders,
      isCut,
    })

  function usable(accepts: string | undefined): string | undefined {
    if (accepts !== undefined && column === 'none')
      throw invalidArgument({ field: 'accepts', message: `needs columns.${list.type}` })
    // The column has no workspace.
    return column === 'current' && list.workspaceId === undefined ? accepts : undefined
  }

  function fragments(shape: Shape): PageFragments {
    // Where folders are looked up, keys that only they accept are needed, too.
    const isLazy = shape === 'lazy' || isCut
    const certainKeys = isLazy ? resolved.own_certain : resolved.certain
    const otherKeys = isLazy ? resolved.own_maybe : resolved.maybe
    const few = isCut ? fewOfFoldersCondition : fewCondition
    const condition = { few, many: manyCondition, lazy: lazyCondition }[shape]
    const certainly = isLazy ? lazyCondition : manyCondition
    return {
      sql: (column, placeholder, accepts) => condition(list, column, placeholder, usable(accepts)),
      keys: includesMaybe ? [...certainKeys, ...otherKeys] : certainKeys,
      certain: (column, placeholder, accepts) =>
        certainly({ ...list, includesMaybe: false }, column, placeholder, usable(accepts)),
      certainKeys,
    }
  }

  const shape = choose(rows)
  const own = fragments(shape)
  return {
    ...own,
    shape,
    validUntil,
    async count({ limit }) {
      const shape = choose(limit)
      const text = shape === 'few' ? countFew(list) : countMany(list, shape === 'lazy')
      const found = await pool.query(text, [fragments(shape).keys, limit])
      return found.rows[0].count
    },
    async page(build, { timeoutMs = pageTimeoutMs } = {}) {
      if (shape !== 'few') {
        const { text, values } = build(own)
        const client = await pool.connect()
        let isBroken = true
        const limit = Math.max(1, Math.round(timeoutMs))
        try {
          const found = await inTransaction(
            client,
            () => client.query(text, values),
            `begin; set local statement_timeout = ${limit}`,
          )
          isBroken = false
          return found.rows
        } catch (error) {
          const { code } = error as { code?: string }
          isBroken = code === undefined
          if (code !== queryCanceled) throw error
        } finally {
          client.release(isBroken)
        }
      }
      const { text, values } = build(fragments('few'))
      return (await pool.query(text, values)).rows
    },
  }
}
