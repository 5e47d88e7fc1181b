import { defaultFactsCacheBytes } from '../src/permissions/engine/engine.ts'
import { createCheckBatches } from './check-batches.ts'
import { cpuTimeOf, findPostmaster } from './cpu-time.ts'
import type { Harness, Measurement } from './harness.ts'
import { interleave, medianLoad, medianOf } from './rounds.ts'
import { formatLoad, formatNumber, type Row } from './table.ts'
import { fetchResponses, writeChecks } from './write-requests.ts'

/** The size of a memory that remembers almost nothing. */
const tinyBytes = 64 * 1024

const cases = [
  { items: 1, inFlight: 1, questions: 500 },
  { items: 1, inFlight: 64, questions: 500 },
  { items: 1, inFlight: 256, questions: 500 },
  { items: 50, inFlight: 16, questions: 300 },
]

/** Rounds per round of the other parts: the goals differ by a few percent. */
const moreRounds = 3

type Measured = Measurement & { postgresCpu: number }

/**
 * Compares checks with facts in memory with checks without: questions that recur, and a memory that
 * is too small for them, so that nearly every check misses.
 */
export async function measureFacts(harness: Harness, addRow: (row: Row) => void): Promise<void> {
  const { database, quick, rounds, measure } = harness
  const postmaster = await findPostmaster(database.url)
  const servers = {
    none: harness.daikon(),
    memory: harness.daikon(database.url, defaultFactsCacheBytes),
    tiny: harness.daikon(database.url, tinyBytes),
  }
  for (const { items, inFlight, questions } of cases) {
    const batches = await createCheckBatches(database, items, quick ? 100 : questions)
    const checks = await fetchResponses(harness, servers.none, batches)
    const { daikon: file } = writeChecks(harness, `facts-${items}`, checks)
    const load = (server: keyof typeof servers) => async (): Promise<Measured> => {
      const before = cpuTimeOf(postmaster)
      const measured = await measure(servers[server], { kind: 'unary', inFlight, files: [file] })
      return { ...measured, postgresCpu: cpuTimeOf(postmaster) - before }
    }
    const loads = { none: load('none'), memory: load('memory'), tiny: load('tiny') }
    for (const warmUp of Object.values(loads)) await warmUp()
    const results = await interleave(quick ? rounds : rounds * moreRounds, loads)
    const describe = (name: keyof typeof loads) => {
      const of = (round: (typeof results)[number]) => round[name]
      const perCall = (read: (measured: Measured) => number) =>
        formatNumber(medianOf(results, (round) => read(of(round)) / of(round).calls))
      const cpu = `${perCall(({ cpu }) => cpu)} + ${perCall(({ postgresCpu }) => postgresCpu)} µs CPU`
      return `${formatLoad(medianLoad(results, of))}, ${cpu}`
    }
    const label = `${items === 1 ? '1 item' : `${items} items`}, ${inFlight} in flight`
    for (const [name, text] of [
      ['memory', 'facts in memory'],
      ['tiny', 'a memory that is too small'],
    ] as const)
      addRow({
        label: `${label}: ${text}, compared with none`,
        daikon: describe(name),
        baseline: describe('none'),
        value: medianOf(results, (round) => round[name].rate / round.none.rate),
        goal: { min: 0.95 },
      })
  }
}
