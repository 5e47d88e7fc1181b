import { setTimeout as sleep } from 'node:timers/promises'
import { createCheckBatches } from '../check-batches.ts'
import type { BenchProcess } from '../child-process.ts'
import type { Harness } from '../harness.ts'
import { interleave, medianLoad, medianOf } from '../rounds.ts'
import { formatLoad, type Row } from '../table.ts'
import { fetchResponses, writeChecks } from '../write-requests.ts'
import type { Changes } from './changed-resources.ts'
import { pace } from './lag.ts'

const inFlight = 64

/** Milliseconds in which a follower catches up. */
const catchUp = 1000

/** Compares checks beside changes that a follower receives with checks beside the same changes alone. */
export async function measureChecks(
  harness: Harness,
  {
    daikon,
    changes,
    follower,
    types,
  }: { daikon: BenchProcess; changes: Changes; follower: BenchProcess; types: string[] },
  addRow: (row: Row) => void,
): Promise<void> {
  const { database, quick, rounds } = harness
  const batches = await createCheckBatches(database, 1, quick ? 100 : 2000)
  const files = [
    writeChecks(harness, 'lists', await fetchResponses(harness, daikon, batches)).daikon,
  ]
  const beside = (followed: string[]) => async () => {
    await follower.request({ types: followed })
    await sleep(catchUp)
    const { stop } = changes.start(pace)
    const checks = await harness.measure(daikon, { kind: 'unary', inFlight, files })
    await stop()
    return checks
  }
  const results = await interleave(quick ? 2 : 3 * rounds, {
    alone: beside([]),
    followed: beside(types),
  })
  await follower.request({ types: [] })
  addRow({
    label: `checks, ${inFlight} in flight, beside ${pace} shares a second: with a follower, compared with none`,
    daikon: formatLoad(medianLoad(results, ({ followed }) => followed)),
    baseline: formatLoad(medianLoad(results, ({ alone }) => alone)),
    value: medianOf(results, ({ followed, alone }) => alone.rate / followed.rate),
    goal: { max: 1.05 },
  })
}
