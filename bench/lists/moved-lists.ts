import type pg from 'pg'
import type { Access } from '../../clients/typescript/src/access.ts'
import { orders, readPage } from './list-query.ts'

/** What a viewer sees, by title. */
export type MovedList = {
  all(): Promise<string[]>
  /** Returns the first page and the milliseconds that it took, with the call to daikon. */
  page(): Promise<{ ids: string[]; ms: number }>
}

/** Lists a table `documents` with the copy of the type `file`. */
export function createMovedList(access: Access<'file'>, pool: pg.Pool, token: string): MovedList {
  return {
    async all() {
      const { sql, keys } = await access.visible({ token }, 'view', 'file')
      const { rows } = await pool.query(
        `select d.id from documents d where ${sql('d.id', '$1')} order by ${orders.title}`,
        [keys],
      )
      return rows.map(({ id }) => id)
    },
    async page() {
      const startedAt = performance.now()
      const visible = await access.visible({ token }, 'view', 'file')
      const rows = await readPage(visible, 'title')
      return { ids: rows.map(({ id }) => id), ms: performance.now() - startedAt }
    },
  }
}
