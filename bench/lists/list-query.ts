import type { Visible } from '../../clients/typescript/src/access.ts'
import { quantileOf } from '../quantiles.ts'

/** The orders of lists. */
export const orders = { title: 'd.title, d.id', newest: 'd.created_at desc, d.id' }

export type Order = keyof typeof orders

/** The number of rows of a page. */
export const pageSize = 20

export function pageSql(condition: string, order: Order, offset = 0): string {
  return `select d.id, d.title from documents d where ${condition}
    order by ${orders[order]} limit ${pageSize} offset ${offset}`
}

/** Reads a page of what is visible. `column` repeats what rows accept. */
export function readPage(
  visible: Visible,
  order: Order,
  { offset = 0, column }: { offset?: number; column?: string | undefined } = {},
): Promise<{ id: string }[]> {
  return visible.page(({ sql, keys }) => ({
    text: pageSql(sql('d.id', '$1', column), order, offset),
    values: [keys],
  }))
}

/** Throws unless rows have the expected IDs. */
export function requireIds(rows: { id: string }[], expected: readonly string[]): void {
  if (rows.length !== expected.length || rows.some(({ id }, index) => id !== expected[index]))
    throw new Error(`A page has other rows than expected: ${rows.map(({ id }) => id).join(', ')}`)
}

/** Runs something several times. Returns the median of the milliseconds. */
export async function timeEach(repetitions: number, run: () => Promise<void>): Promise<number> {
  const times: number[] = []
  for (let repetition = 0; repetition < repetitions; repetition += 1) {
    const startedAt = performance.now()
    await run()
    times.push(performance.now() - startedAt)
  }
  return quantileOf(times, 0.5)
}
