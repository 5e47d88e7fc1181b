import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Harness } from '../harness.ts'
import { quantileOf } from '../quantiles.ts'
import { formatNumber, type Row } from '../table.ts'
import { type Changes, changedType } from './changed-resources.ts'

/** Shares a second. */
export const pace = 100

/** Milliseconds that the last shares may take to arrive. */
const patience = 60_000

/** Measures the time from the acknowledgement of a share to its row in the copy. */
export async function measureLag(
  { quick }: Harness,
  { changes, copy }: { changes: Changes; copy: pg.Pool },
  addRow: (row: Row) => void,
): Promise<void> {
  const seconds = quick ? 3 : 20
  const table = `daikon_access."resources_${changedType}"`
  const { rows: before } = await copy.query(
    `select max(cardinality(accepts)) as keys, count(*)::int as resources from ${table}`,
  )
  const { keys, resources } = before[0]
  if (resources < pace * seconds) throw new Error(`Only ${resources} resources are in the copy`)
  const acknowledged = new Map<string, number>()
  const lags: number[] = []

  async function look(): Promise<void> {
    const { rows } = await copy.query(
      `select id from ${table} where id = any($1::uuid[]) and cardinality(accepts) > $2`,
      [[...acknowledged.keys()], keys],
    )
    const now = performance.now()
    for (const { id } of rows) {
      lags.push(now - (acknowledged.get(id) ?? now))
      acknowledged.delete(id)
    }
    await sleep(2)
  }

  const { stop } = changes.start(pace, (id) => acknowledged.set(id, performance.now()))
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) await look()
  await stop()
  while (acknowledged.size > 0) {
    if (performance.now() > end + patience)
      throw new Error(`${acknowledged.size} shares did not reach the copy`)
    await look()
  }
  for (const [name, share, max] of [
    ['p50', 0.5, 500],
    ['p99', 0.99, 1500],
  ] as const)
    addRow({
      label: `acknowledgement of a share to its row in the copy, ${pace} a second: ${name}`,
      daikon: `${formatNumber(lags.length)} shares`,
      baseline: '',
      value: quantileOf(lags, share),
      unit: ' ms',
      goal: { max },
    })
}
