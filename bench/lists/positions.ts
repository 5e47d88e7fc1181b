import type pg from 'pg'
import type { BenchProcess } from '../child-process.ts'
import { largeWorkspaceOf } from '../data-set-size.ts'
import type { Harness } from '../harness.ts'
import type { PreparedRequest } from '../prepared-requests.ts'
import { interleave, medianLoad, medianOf } from '../rounds.ts'
import { formatLoad, type Row } from '../table.ts'
import { deleteWrites, prepareWrites, registrations, shares, writeOnce } from '../writes.ts'

/** Compares writes with the same writes on a server that does not read positions. */
export async function measurePositions(
  harness: Harness,
  daikon: BenchProcess,
  client: pg.Client,
  addRow: (row: Row) => void,
): Promise<void> {
  const { database, rounds } = harness
  const { privatePath, publicPath } = database.keyPaths
  const args = [database.url, privatePath, publicPath, '', '', '0', '', 'constant']
  const without = harness.startProcess('daikon-server.ts', ...args)
  const { firstUser, members, workspace } = largeWorkspaceOf(database.size)
  const token = await harness.signToken(firstUser + members - 1, workspace)
  try {
    const { resources, driverTarget } = await prepareWrites(client, database.size)
    let sent = 0
    const kinds: Record<string, () => PreparedRequest[]> = {
      Register: () => registrations(driverTarget, token),
      Share: () => shares(resources, driverTarget, token, sent),
    }
    for (const [name, prepare] of Object.entries(kinds)) {
      const write = (server: BenchProcess) => async () => {
        const measured = await writeOnce(harness, server, `lists-${name}`, prepare())
        sent += measured.calls
        return measured
      }
      const results = await interleave(rounds, { read: write(daikon), constant: write(without) })
      addRow({
        label: `${name}, 16 in flight, compared with one that does not read its position`,
        daikon: formatLoad(medianLoad(results, ({ read }) => read)),
        baseline: formatLoad(medianLoad(results, ({ constant }) => constant)),
        value: medianOf(results, ({ read, constant }) => read.rate / constant.rate),
      })
    }
  } finally {
    await deleteWrites(client)
  }
}
