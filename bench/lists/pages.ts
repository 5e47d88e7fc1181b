import type pg from 'pg'
import { type Access, createAccess } from '../../clients/typescript/src/access.ts'
import { createScriptedDaikon } from '../../test/support/access-script.ts'
import type { Harness } from '../harness.ts'
import { interleave, medianOf } from '../rounds.ts'
import { formatNumber, type Row } from '../table.ts'
import { dropCopiedDocuments, openCopiedDocuments } from './copied-documents.ts'
import { measureIds } from './ids.ts'
import {
  type Order,
  orders,
  pageSize,
  pageSql,
  readPage,
  requireIds,
  timeEach,
} from './list-query.ts'
import { documentsOf } from './number-of-documents.ts'
import { nameOf, type Viewer, viewersOf } from './viewers.ts'

/** The milliseconds of each list of one viewer, and of the same pages without permissions. */
type Times = Record<`${'joined' | 'column' | 'bare'} ${Order | 'page 7'}` | 'count', number>

const seventh = 6 * pageSize
const maxCount = 1001

/**
 * Measures lists of viewers of few and of many documents, and compares them with the same lists without
 * permissions, and with lists of IDs. Keys are held by a script: GetAccessKeys is measured by itself.
 */
export async function measurePages(harness: Harness, addRow: (row: Row) => void): Promise<void> {
  const { count, isSet } = documentsOf(harness)
  const { url } = harness.database
  const pool = await openCopiedDocuments(url, count)
  const viewers = viewersOf(count)
  const script = createScriptedDaikon()
  for (const { id, holders } of viewers)
    script.hold(id, [{ holders: [...holders, nameOf(id)], levels: ['view', 'edit'].map(nameOf) }])
  const access = createAccess({
    daikon: script.daikon,
    pool,
    types: { document: 'uuid' },
    columns: { document: 'documents.daikon_accepts' },
  })
  try {
    const results = new Map<Viewer, Times>()
    for (const viewer of viewers) {
      const times = await measureViewer(harness, access, pool, viewer)
      results.set(viewer, times)
      addPageRows(viewer, count, times, addRow)
    }
    addLongestRows(results, addRow)
    if (!isSet) await measureIds(harness, access, pool, viewers[4] as Viewer, addRow)
  } finally {
    await access.close()
    await pool.end()
    if (isSet) await dropCopiedDocuments(url, count)
  }
}

async function measureViewer(
  { quick, rounds }: Harness,
  access: Access,
  pool: pg.Pool,
  { id: userId, step, visible: total }: Viewer,
): Promise<Times> {
  const page = async (order: Order, offset: number) => {
    const { rows } = await pool.query(pageSql(`d.number % ${step} = 0`, order, offset))
    const expected = rows.map(({ id }) => id)
    const read = (column?: 'd.daikon_accepts') => async () => {
      const options = { rows: pageSize + offset }
      const visible = await access.visible({ userId }, 'view', 'document', options)
      requireIds(await readPage(visible, order, { offset, column }), expected)
    }
    const bare = async () => {
      await pool.query(pageSql('true', order, offset))
    }
    return { joined: read(), column: read('d.daikon_accepts'), bare }
  }
  const count = async () => {
    const visible = await access.visible({ userId }, 'view', 'document')
    const counted = await visible.count({ limit: maxCount })
    if (counted !== Math.min(total, maxCount)) throw new Error(`Counted ${counted} of ${total}`)
  }
  const lists = {
    title: await page('title', 0),
    newest: await page('newest', 0),
    'page 7': await page('title', seventh),
  }
  const timed = (run: () => Promise<void>) => () => timeEach(quick ? 1 : 7, run)
  const measures: Record<string, () => Promise<number>> = { count: timed(count) }
  for (const [list, ways] of Object.entries(lists))
    for (const [way, run] of Object.entries(ways)) measures[`${way} ${list}`] = timed(run)
  const results = await interleave(quick ? 2 : 3 * rounds, measures)
  return Object.fromEntries(
    Object.keys(measures).map((name) => [name, medianOf(results, (round) => round[name] ?? 0)]),
  ) as Times
}

/** The goals of lists, in milliseconds. Between these numbers of documents, no single plan is fast. */
const goals = { few: 1000, many: 20_000, page: 20, between: 60, seventh: 100, count: 60 }

function addPageRows(
  { visible }: Viewer,
  documents: number,
  times: Times,
  addRow: (row: Row) => void,
): void {
  const names = Object.keys(orders) as Order[]
  const say = (way: 'joined' | 'column' | 'bare') =>
    `${names.map((order) => formatNumber(times[`${way} ${order}`])).join(' and ')} ms`
  const label = `page of 20 by title and by newest, ${formatNumber(visible)} of ${formatNumber(documents)} documents visible`
  const slower = Math.max(...names.map((order) => times[`joined ${order}`]))
  const isBetween = visible > goals.few && visible < goals.many
  addRow({
    label: `${label}: the slower`,
    daikon: say('joined'),
    baseline: `${say('bare')} without permissions`,
    value: slower,
    unit: ' ms',
    goal: { max: isBetween ? goals.between : goals.page },
  })
  if (visible < documents / 10) return
  // The goal is a multiple of the page without permissions, and some milliseconds.
  for (const { way, name, free, max } of [
    { way: 'joined', name: 'joined', free: 2, max: 5 },
    { way: 'column', name: 'with a column', free: 1, max: 2 },
  ] as const)
    addRow({
      label: `${label}, ${name}: time beyond ${free} ms, compared with no permissions`,
      daikon: say(way),
      baseline: say('bare'),
      value: Math.max(
        ...names.map(
          (order) => Math.max(0, times[`${way} ${order}`] - free) / times[`bare ${order}`],
        ),
      ),
      goal: { max },
    })
}

function addLongestRows(results: Map<Viewer, Times>, addRow: (row: Row) => void): void {
  const viewers = [...results.keys()].map(({ visible }) => formatNumber(visible)).join(' / ')
  const all = [...results.values()]
  const say = (name: keyof Times) =>
    `${all.map((times) => formatNumber(times[name])).join(' / ')} ms`
  const slowest = (name: keyof Times) => Math.max(...all.map((times) => times[name]))
  addRow({
    label: `page 7 by title, ${viewers} visible: slowest`,
    daikon: say('joined page 7'),
    baseline: `${formatNumber(all[0]?.['bare page 7'] ?? 0)} ms without permissions`,
    value: slowest('joined page 7'),
    unit: ' ms',
    goal: { max: goals.seventh },
  })
  addRow({
    label: `count up to ${formatNumber(maxCount)}, ${viewers} visible: slowest`,
    daikon: say('count'),
    baseline: '',
    value: slowest('count'),
    unit: ' ms',
    goal: { max: goals.count },
  })
}
