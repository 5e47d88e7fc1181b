import { ensureClientCode } from '../tools/generated-code.ts'
import { createCheckBatches } from './check-batches.ts'
import type { BenchProcess, ServerState } from './child-process.ts'
import type {
  AtOnceResult,
  CallerCheck,
  CallerJob,
  CallerName,
  OneByOneResult,
} from './client-caller.ts'
import { startLanguages } from './clients/languages.ts'
import type { Harness } from './harness.ts'
import { interleave, medianOf } from './rounds.ts'
import { formatNumber, type Row } from './table.ts'
import { fetchResponses } from './write-requests.ts'

/**
 * Compares the clients with unary calls from the same process, which use only the gRPC library and
 * generated code.
 */
export async function measureClient(harness: Harness, addRow: (row: Row) => void): Promise<void> {
  const { database, quick, rounds } = harness
  const [users, checksPerUser] = [500, 20]
  const daikon = harness.daikon()
  const batches = await createCheckBatches(database, checksPerUser, users)
  const checks = interleaveUsers(await fetchResponses(harness, daikon, batches))
  const { port } = await daikon.request<ServerState>({})
  ensureClientCode()
  const process = harness.startProcess('client-caller.ts')
  const run = async <Result extends { wrong: number }>(job: CallerJob): Promise<Result> => {
    const result = await process.request<Result>(job)
    if (result.wrong > 0) throw new Error(`${result.wrong} results are wrong`)
    return result
  }
  const title = `${formatNumber(checks.length)} concurrent checks of ${users} users`
  const compare = (language: string, runAtOnce: (caller: CallerName) => Promise<AtOnceResult>) =>
    compareAtOnce({ label: `${language}: ${title}`, daikon, rounds, runAtOnce, checks, addRow })

  await compare('TypeScript', (caller) => run({ port, checks, mode: 'at once', caller }))
  for (const { language, runAtOnce } of startLanguages(harness, port, checks))
    await compare(language, runAtOnce)

  const few = checks.slice(0, quick ? 300 : 2000)
  const oneByOne = await interleave(rounds, {
    all: () => run<OneByOneResult>({ port, checks: few, mode: 'one by one' }),
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

/** Adds the throughput, and the CPU time of the caller and of the server, beside unary calls. */
async function compareAtOnce({
  label,
  daikon,
  rounds,
  runAtOnce,
  checks,
  addRow,
}: {
  label: string
  daikon: BenchProcess
  rounds: number
  runAtOnce: (caller: CallerName) => Promise<AtOnceResult>
  checks: CallerCheck[]
  addRow: (row: Row) => void
}): Promise<void> {
  const measure = async (caller: CallerName) => {
    const before = await daikon.request<ServerState>({})
    const { seconds, cpu } = await runAtOnce(caller)
    const after = await daikon.request<ServerState>({})
    return {
      rate: checks.length / seconds,
      cpu: cpu / checks.length,
      serverCpu: (after.cpu - before.cpu) / checks.length,
    }
  }
  await measure('client')
  const results = await interleave(rounds, {
    client: () => measure('client'),
    plain: () => measure('plain'),
  })
  for (const { what, unit, read, goal } of [
    { what: 'throughput', unit: '/s', read: 'rate', goal: { min: 10 } },
    { what: 'CPU of the caller per check', unit: ' µs', read: 'cpu', goal: { max: 0.1 } },
    { what: 'CPU of the server per check', unit: ' µs', read: 'serverCpu', goal: { max: 0.15 } },
  ] as const)
    addRow({
      label: `${label}, compared with unary calls: ${what}`,
      daikon: `${formatNumber(medianOf(results, ({ client }) => client[read]))}${unit}`,
      baseline: `${formatNumber(medianOf(results, ({ plain }) => plain[read]))}${unit}`,
      value: medianOf(results, ({ client, plain }) => client[read] / plain[read]),
      goal,
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
