/** The orders of lists. */
export const orders = { title: 'd.title, d.id', newest: 'd.created_at desc, d.id' }

export type Order = keyof typeof orders

/** A page of 20 documents. */
export function pageSql(condition: string, order: Order, offset = 0): string {
  return `select d.id, d.title from documents d where ${condition}
    order by ${orders[order]} limit 20 offset ${offset}`
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
  return times.sort((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0
}
