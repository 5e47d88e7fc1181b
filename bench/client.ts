import { defaultFactsCacheBytes } from '../src/permissions/engine/engine.ts'
import { ensureClientCode } from '../tools/generated-code.ts'
import { createCheckBatches } from './check-batches.ts'
import type { BenchProcess, ServerState } from './child-process.ts'
import type { AtOnceCallerName, CallerCheck, CallerJob, OneByOneResult } from './client-caller.ts'
import { type Language, startLanguages } from './clients/languages.ts'
import type { Harness } from './harness.ts'
import { interleave, medianOf } from './rounds.ts'
import { formatNumber, type Row } from './table.ts'
import { fetchResponses } from './write-requests.ts'

/** The number of runs with batches before the measurements, in which engines compile hot code. */
const warmUpRounds = 3

/**
 * Compares the clients with unary calls from the same process, which use only the gRPC library and
 * generated code.
 */
export async function measureClient(harness: Harness, addRow: (row: Row) => void): Promise<void> {
  const { database, quick, rounds } = harness
  const [users, checksPerUser] = [500, 20]
  const daikon = harness.daikon()
  const remembering = harness.daikon(database.url, defaultFactsCacheBytes)
  const batches = await createCheckBatches(database, checksPerUser, users)
  const checks = interleaveUsers(await fetchResponses(harness, daikon, batches))
  const { port } = await daikon.request<ServerState>({})
  ensureClientCode()
  const process = harness.startProcess('client-caller.ts')
  const typeScript: Language = {
    language: 'TypeScript',
    runAtOnce: (caller, port) => process.request({ port, checks, mode: 'at once', caller }),
  }
  for (const language of [typeScript, ...startLanguages(harness, checks)]) {
    const label = `${language.language}: ${formatNumber(checks.length)} concurrent checks of ${users} users`
    const compared = { label, rounds, language, count: checks.length, addRow }
    await compareAtOnce({ ...compared, server: daikon })
    await compareAtOnce({ ...compared, label: `${label}, facts in memory`, server: remembering })
    await compareFloor({ ...compared, server: harness.startProcess('grpc-baseline-server.ts') })
  }

  const run = async (job: CallerJob) => {
    const result = await process.request<OneByOneResult>(job)
    if (result.wrong > 0) throw new Error(`${result.wrong} results are wrong`)
    return result
  }
  const few = checks.slice(0, quick ? 300 : 2000)
  const oneByOne = await interleave(rounds, {
    all: () => run({ port, checks: few, mode: 'one by one' }),
  })
  for (const [baseline, name] of [
    ['evaluation', 'a unary Evaluate'],
    ['plain', 'a unary Check'],
  ] as const)
    addRow({
      label: `a lone check, compared with ${name}: p50`,
      daikon: `${formatNumber(medianOf(oneByOne, ({ all }) => all.p50.client))} ms`,
      baseline: `${formatNumber(medianOf(oneByOne, ({ all }) => all.p50[baseline]))} ms`,
      value: medianOf(oneByOne, ({ all }) => all.p50.client / all.p50[baseline]),
      goal: { max: 1.1 },
    })
}

type Compared = {
  label: string
  language: Language
  server: BenchProcess
  rounds: number
  /** The number of checks. */
  count: number
  addRow: (row: Row) => void
}

/** The checks per second, and the microseconds of CPU of the caller and the server per check. */
type Measures = { rate: number; cpu: number; serverCpu: number; wrong: number }

async function measure(
  { language, server, count }: Compared,
  caller: AtOnceCallerName,
): Promise<Measures> {
  const before = await server.request<ServerState>({})
  const { seconds, cpu, total, wrong } = await language.runAtOnce(caller, before.port)
  const after = await server.request<ServerState>({})
  const serverCpu = (after.cpu - before.cpu) / total
  return { rate: count / seconds, cpu: cpu / count, serverCpu, wrong }
}

/** Adds the throughput, and the CPU time of the caller and of the server, beside unary calls. */
async function compareAtOnce(compared: Compared): Promise<void> {
  const { label, language, rounds, addRow } = compared
  const measureChecked = async (caller: AtOnceCallerName) => {
    const measured = await measure(compared, caller)
    if (measured.wrong > 0)
      throw new Error(`${language.language}: ${measured.wrong} results are wrong`)
    return measured
  }
  for (let round = 0; round < warmUpRounds; round += 1) await measureChecked('client')
  const results = await interleave(rounds, {
    batched: () => measureChecked('client'),
    unary: () => measureChecked('plain'),
  })
  addRows(results, `${label}, compared with unary calls`, addRow, {
    rate: { min: 10 },
    cpu: { max: 0.1 },
    serverCpu: { max: 0.15 },
  })
}

/**
 * Adds what the gRPC library of the language allows: complete batches beside unary calls, both to
 * handlers that do nothing.
 */
async function compareFloor(compared: Compared): Promise<void> {
  const { label, rounds, addRow } = compared
  for (let round = 0; round < warmUpRounds; round += 1) await measure(compared, 'batches')
  const results = await interleave(rounds, {
    batched: () => measure(compared, 'batches'),
    unary: () => measure(compared, 'plain'),
  })
  addRows(results, `${label}, floor: batches and unary calls to empty handlers`, addRow, {})
}

type Goals = Partial<Record<'rate' | 'cpu' | 'serverCpu', Row['goal']>>

function addRows(
  results: Record<'batched' | 'unary', Measures>[],
  label: string,
  addRow: (row: Row) => void,
  goals: Goals,
): void {
  for (const { what, unit, read } of [
    { what: 'throughput', unit: '/s', read: 'rate' },
    { what: 'CPU of the caller per check', unit: ' µs', read: 'cpu' },
    { what: 'CPU of the server per check', unit: ' µs', read: 'serverCpu' },
  ] as const)
    addRow({
      label: `${label}: ${what}`,
      daikon: `${formatNumber(medianOf(results, ({ batched }) => batched[read]))}${unit}`,
      baseline: `${formatNumber(medianOf(results, ({ unary }) => unary[read]))}${unit}`,
      value: medianOf(results, ({ batched, unary }) => batched[read] / unary[read]),
      ...(goals[read] && { goal: goals[read] }),
    })
}

/** Returns the checks of all users in turn, in the order in which a server would receive them. */
function interleaveUsers(batches: Awaited<ReturnType<typeof fetchResponses>>): CallerCheck[] {
  const lists = batches.map(({ token, checks, response }) =>
    checks.map(({ resource_id, action }, index): CallerCheck => {
      return { token, resource_id, action, allowed: response.results[index]?.allowed === true }
    }),
  )
  const length = Math.max(...lists.map((list) => list.length))
  return Array.from({ length }, (_, index) => lists.flatMap((list) => list[index] ?? [])).flat()
}
