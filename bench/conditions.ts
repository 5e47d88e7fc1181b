import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { defaultFactsCacheBytes } from '../src/permissions/engine/engine.ts'
import { ensureDatabase, openExtraDatabase } from './bench-database.ts'
import { type CheckBatch, createCheckBatches } from './check-batches.ts'
import type { BenchProcess } from './child-process.ts'
import { type ExpressionCost, measureExpressions } from './condition-cpu.ts'
import { amountLimit, copiedTypeSql, smallAmount } from './copied-type-sql.ts'
import type { Harness, Measurement } from './harness.ts'
import { interleave, medianLoad, medianOf } from './rounds.ts'
import { formatLoad, formatNumber, type Row } from './table.ts'
import { fetchResponses, writeChecks } from './write-requests.ts'

const inFlight = 64

/** Rounds per round of the other parts: the goals differ by a few percent. */
const moreRounds = 5

const copies = [
  { type: 'role', roles: { view: 'reader', edit: 'writer' } },
  { type: 'conditional', condition: amountLimit },
]

type Names = 'plain' | 'role' | 'conditional' | 'now' | 'remembering' | 'before'

/**
 * Compares checks of the same documents: in a type without a declaration, shared with roles, and
 * shared under a condition. If BENCH_BEFORE is the path of a clone at an earlier version, the first
 * are also compared with that version. Then measures the evaluation of conditions alone.
 */
export async function measureConditions(
  harness: Harness,
  addRow: (row: Row) => void,
): Promise<void> {
  const { database, quick, rounds, measure } = harness
  const url = await openExtraDatabase(database, 'conditions', copies.flatMap(copiedTypeSql))
  const daikon = harness.daikon(url)
  const batches = await createCheckBatches(database.small, 1, quick ? 100 : 2000)
  const decisions = new Set<string>()
  const load = async (name: string, batches: CheckBatch[], server: BenchProcess = daikon) => {
    const checked = await fetchResponses(harness, server, batches)
    decisions.add(checked.map(({ response }) => response.results[0]?.allowed).join())
    if (decisions.size > 1) throw new Error(`Checks of ${name} have different results`)
    const { daikon: file } = writeChecks(harness, `conditions-${name}`, checked)
    return () => measure(server, { kind: 'unary', inFlight, files: [file] })
  }
  const ofType = (resource_type: string, context?: object) =>
    batches.map((batch) => ({
      ...batch,
      checks: batch.checks.map((check) => ({ ...check, resource_type })),
      ...(context && { context }),
    }))
  const { BENCH_BEFORE } = process.env
  const before = BENCH_BEFORE && (await startBefore(harness, BENCH_BEFORE))
  const loads = {
    ...(before && {
      before: await load('before', batches, before),
      // The earlier version cannot store roles and conditions, so both have data without them.
      now: await load('now', batches, harness.daikon(database.small.url)),
      remembering: await load(
        'remembering',
        batches,
        harness.daikon(database.small.url, defaultFactsCacheBytes),
      ),
    }),
    plain: await load('plain', batches),
    role: await load('role', ofType('role')),
    conditional: await load('conditional', ofType('conditional', { amount: smallAmount })),
  }
  const results: Partial<Record<Names, Measurement>>[] = await interleave(
    quick ? rounds : rounds * moreRounds,
    loads,
  )
  const compare = (label: string, name: Names, baseline: Names, min: number) =>
    addRow({
      label: `${label}, ${inFlight} in flight`,
      daikon: describe(results, name),
      baseline: describe(results, baseline),
      value: medianOf(results, (round) => (round[name]?.rate ?? 0) / (round[baseline]?.rate ?? 0)),
      goal: { min },
    })
  if (before) {
    const label = 'no declaration, beside the version before'
    compare(`${label}, facts in memory`, 'remembering', 'before', 0.98)
    compare(`${label}, without facts in memory`, 'now', 'before', 0.98)
  } else process.stderr.write('Without an earlier version: BENCH_BEFORE is not set\n')
  compare('shares with a role, beside shares with a permission', 'role', 'plain', 0.95)
  compare('shares with a condition, beside shares without', 'conditional', 'plain', 0.6)
  addExpressions(addRow)
}

/** Starts the server of a clone at an earlier version, on the same data in its own schema. */
async function startBefore({ database, startProcess }: Harness, clone: string) {
  const url = await ensureDatabase(database.url, 'before')
  const file = join(clone, 'bench/data-set.ts')
  const { ensureDataSet } = await import(pathToFileURL(file).href)
  await ensureDataSet(url, database.small.size)
  const { privatePath, publicPath } = database.keyPaths
  return startProcess(join(clone, 'bench/daikon-server.ts'), url, privatePath, publicPath)
}

function describe(results: Partial<Record<Names, Measurement>>[], name: Names): string {
  const of = (round: Partial<Record<Names, Measurement>>) => round[name] as Measurement
  const cpu = medianOf(results, (round) => of(round).cpu / of(round).calls)
  return `${formatLoad(medianLoad(results, of))}, ${formatNumber(cpu)} µs CPU`
}

function addExpressions(addRow: (row: Row) => void): void {
  const costs = [...measureExpressions()]
  const add = (label: string, { title, each }: ExpressionCost, max?: number) =>
    addRow({
      label: `${label} (${title})`,
      daikon: '',
      baseline: '',
      value: each,
      unit: ' ms',
      ...(max && { goal: { max } }),
    })
  const slowest = (costs: ExpressionCost[]) =>
    costs.reduce((slowest, cost) => (cost.each > slowest.each ? cost : slowest))
  const [simple, worst] = [true, false].map((isSimple) =>
    slowest(costs.filter(({ title }) => title.startsWith('worst') !== isSimple)),
  ) as [ExpressionCost, ExpressionCost]
  add('CPU of the slowest usual condition', simple)
  add('CPU of the worst condition that may be declared', worst, 2)
}
