import type pg from 'pg'
import type { Access } from '../../clients/typescript/src/access.ts'
import type { ServerState } from '../child-process.ts'
import { openDaikon } from '../daikon-client.ts'
import { idOf } from '../data-set.ts'
import type { Harness } from '../harness.ts'
import { interleave, medianOf } from '../rounds.ts'
import { formatNumber, type Row } from '../table.ts'
import { pageSql, readPage, requireIds, timeEach } from './list-query.ts'
import type { Viewer } from './viewers.ts'

/**
 * Compares a page of `viewer`, joined with the copy, with the way without a copy: reading the IDs of as many
 * documents and joining them.
 */
export async function measureIds(
  harness: Harness,
  access: Access,
  pool: pg.Pool,
  viewer: Viewer,
  addRow: (row: Row) => void,
): Promise<void> {
  const { size } = harness.database
  const { port } = await harness.daikon().request<ServerState>({})
  const daikon = openDaikon(port)
  const token = await harness.signToken(size.users + 2, 0)
  const expectedIds = async (condition: string) =>
    (await pool.query(pageSql(condition, 'title'))).rows.map(({ id }) => id)
  // What is shared with the third of `readers`, and what its workspace sees.
  const { resources, workspaces } = size
  const isListed = `d.number < ${resources} and (d.number < ${resources / 5} and d.number % 2 = 0
    or d.number % 10 = 0 and d.number % ${workspaces} = 0)`
  const ofReader = await expectedIds(isListed)
  const { rows: counted } = await pool.query(`select count(*) from documents d where ${isListed}`)
  const listed = Number(counted[0].count)
  const ofViewer = await expectedIds(`d.number % ${viewer.step} = 0`)
  const workspaceId = idOf('w', 0)
  try {
    const results = await interleave(harness.quick ? 1 : harness.rounds, {
      ids: () =>
        timeEach(1, async () => {
          const ids: string[] = []
          for await (const id of daikon.accessible({ token }, 'view', 'document', { workspaceId }))
            ids.push(id)
          if (ids.length !== listed) throw new Error(`${ids.length} IDs of ${listed}`)
          const { rows } = await pool.query(pageSql('d.id = any($1::uuid[])', 'title'), [ids])
          requireIds(rows, ofReader)
        }),
      joined: () =>
        timeEach(7, async () => {
          const visible = await access.visible({ userId: viewer.id }, 'view', 'document')
          requireIds(await readPage(visible, 'title'), ofViewer)
        }),
    })
    addRow({
      label: `page of 20, ${formatNumber(viewer.visible)} visible: ${formatNumber(listed)} IDs read and joined, compared with the copy`,
      daikon: `${formatNumber(medianOf(results, ({ joined }) => joined))} ms`,
      baseline: `${formatNumber(medianOf(results, ({ ids }) => ids))} ms`,
      value: medianOf(results, ({ ids, joined }) => ids / joined),
      goal: { min: 50 },
    })
  } finally {
    daikon.close()
  }
}
