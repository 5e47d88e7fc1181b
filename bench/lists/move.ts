import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { createAccess } from '../../clients/typescript/src/access.ts'
import { ensureDatabase, openExtraDatabase } from '../bench-database.ts'
import type { ServerState } from '../child-process.ts'
import { openDaikon } from '../daikon-client.ts'
import { idOf } from '../data-set.ts'
import { admin, bigFolder, chains, folderSql, reader, viewer, workspace } from '../folders-data.ts'
import type { Harness } from '../harness.ts'
import { interleave, medianOf } from '../rounds.ts'
import { formatNumber, type Row } from '../table.ts'
import { createPageCheck } from './mixed-pages.ts'
import { createMovedList, type MovedList } from './moved-lists.ts'
import { patience } from './wait-until-copied.ts'

/** The folder is moved between two chains, each with shares of its own. */
const parents = [2, 3].map((n) => ({
  type: chains.type,
  id: idOf('r', chains.first + n * chains.length),
}))
const folder = { type: bigFolder.type, id: idOf('r', bigFolder.first) }

/** Who keeps seeing the folder, who sees it in the first chain, and who in the second. */
const viewers = [reader, viewer(2), viewer(4)]

/** A page that was read during a move. */
type Page = { list: number; ids: string[]; ms: number }

type Moved = { seconds: number; pages: number; longest: number }

/** Milliseconds between pages. */
const pause = 10

/** Moves a folder with 100,000 descendants while lists are read. */
export async function measureMove(harness: Harness, addRow: (row: Row) => void): Promise<void> {
  const { database, quick } = harness
  const size = quick ? 2000 : 100_000
  const url = await openExtraDatabase(database, 'folders', folderSql(size))
  const copyUrl = await ensureDatabase(database.url, 'moved')
  const { port } = await harness.daikon(url).request<ServerState>({})
  const [daikon, writer] = [openDaikon(port), openDaikon(port)]
  const pool = new pg.Pool({ connectionString: copyUrl })
  const access = createAccess({ daikon, pool, types: { file: 'uuid' } })
  const follower = harness.startProcess('lists/follower.ts', copyUrl, String(port))
  const as = await harness.signToken(admin, workspace)
  const tokens = await Promise.all(viewers.map((user) => harness.signToken(user, workspace)))
  const lists = tokens.map((token) => createMovedList(access, pool, token))
  const move = async (to: number) => {
    await writer.setParent(folder, parents[to] as (typeof parents)[0], { as })
    return writer.lastPosition() ?? ''
  }
  try {
    await move(0)
    await pool.query('drop schema if exists daikon_access cascade')
    await follower.request({ types: [bigFolder.type] }, patience)
    await createTitles(pool)

    const moveTo = async (to: number): Promise<Moved> => {
      const before = await Promise.all(lists.map((list) => list.all()))
      const position = await move(to)
      const { pages, seconds } = await readUntil(
        lists,
        access.waitFor(position, { timeoutMs: 120_000 }),
      )
      const after = await Promise.all(lists.map((list) => list.all()))
      requireMoved(before, after, { to, size })
      const isRight = before.map((ids, list) => createPageCheck(ids, after[list] ?? []))
      if (!pages.every(({ list, ids }) => isRight[list]?.(ids)))
        throw new Error('A page lacks rows that stay visible, or has others')
      return { seconds, pages: pages.length, longest: Math.max(...pages.map(({ ms }) => ms)) }
    }
    const results = await interleave(quick ? 1 : 2, {
      quiet: () => readUntil(lists, sleep(1000)),
      moves: async () => [await moveTo(1), await moveTo(0)],
    })
    addRows(results, size, addRow)
  } finally {
    await follower.request({ types: [] })
    await access.close()
    daikon.close()
    writer.close()
    await pool.query('drop schema if exists daikon_access cascade')
    await pool.end()
  }
}

/** Creates documents with the IDs of the copy. */
async function createTitles(pool: pg.Pool): Promise<void> {
  await pool.query('drop table if exists documents')
  await pool.query(
    'create table documents as select id, md5(id::text) as title from daikon_access.resources_file',
  )
  await pool.query('alter table documents add primary key (id)')
  await pool.query('create index on documents (title, id)')
  await pool.query('vacuum analyze documents')
}

/** Reads pages of the lists in turn until `end` resolves. */
async function readUntil(
  lists: MovedList[],
  end: Promise<void>,
): Promise<{ pages: Page[]; seconds: number }> {
  const startedAt = performance.now()
  let seconds: number | undefined
  const ended = end.then(() => {
    seconds = (performance.now() - startedAt) / 1000
  })
  const pages: Page[] = []
  for (let n = 0; seconds === undefined; n += 1) {
    const list = n % lists.length
    pages.push({ list, ...(await (lists[list] as MovedList).page()) })
    await sleep(pause)
  }
  await ended
  return { pages, seconds }
}

/** Throws unless one viewer still sees the folder, one no longer does, and one does now. */
function requireMoved(
  before: string[][],
  after: string[][],
  { to, size }: { to: number; size: number },
): void {
  const changes = before.map((ids, list) => (after[list]?.length ?? 0) - ids.length)
  const moved = size + 1
  const expected = to === 1 ? [0, -moved, moved] : [0, moved, -moved]
  if (changes.some((change, list) => change !== expected[list]))
    throw new Error(`The lists changed by ${changes} instead of ${expected}`)
}

function addRows(
  results: { quiet: { pages: Page[] }; moves: Moved[] }[],
  size: number,
  addRow: (row: Row) => void,
): void {
  const moves = results.flatMap(({ moves }) => moves)
  const slowest = Math.max(...moves.map(({ seconds }) => seconds))
  const pages = moves.reduce((sum, move) => sum + move.pages, 0)
  const quiet = results.flatMap(({ quiet }) => quiet.pages)
  addRow({
    label: `move of a folder with ${formatNumber(size)} descendants: from its acknowledgement to the copy`,
    daikon: moves.map(({ seconds }) => `${formatNumber(seconds)} s`).join(', '),
    baseline: '',
    value: slowest,
    unit: ' s',
    goal: { max: 10 },
  })
  addRow({
    label: 'the slowest page during the move',
    daikon: `${formatNumber(pages)} pages`,
    baseline: `p50 ${formatNumber(medianOf(quiet, ({ ms }) => ms))} ms before`,
    value: Math.max(...moves.map(({ longest }) => longest)),
    unit: ' ms',
    goal: { max: 500 },
  })
}
