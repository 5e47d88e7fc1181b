import { ensureClientCode } from '../tools/generated-code.ts'
import { createCheckBatches } from './check-batches.ts'
import type { ServerState } from './child-process.ts'
import type {
  AtOnceResult,
  CallerCheck,
  CallerJob,
  CallerName,
  OneByOneResult,
} from './client-caller.ts'
import type { Harness } from './harness.ts'
import { interleave, medianOf } from './rounds.ts'
import { formatNumber, type Row } from './table.ts'
import { fetchResponses } from './write-requests.ts'

/** Compares the TypeScript client with plain grpc-js calls from the same process. */
export async function measureClient(harness: Harness, addRow: (row: Row) => void): Promise<void> {
  const { database, quick, rounds } = harness
  const [users, checksPerUser] = quick ? [50, 20] : [500, 20]
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
  const runAtOnce = (caller: CallerName) =>
    run<AtOnceResult>({ port, checks, mode: 'at once', caller })

  await runAtOnce('client')
  const atOnce = await interleave(rounds, {
    client: () => runAtOnce('client'),
    plain: () => runAtOnce('plain'),
  })
  const rate = ({ seconds }: AtOnceResult) => checks.length / seconds
  const cpu = ({ cpu }: AtOnceResult) => cpu / checks.length
  const title = `${formatNumber(checks.length)} concurrent checks of ${users} users`
  addRow({
    label: `${title}, compared with unary calls`,
    daikon: `${formatNumber(medianOf(atOnce, ({ client }) => rate(client)))}/s`,
    baseline: `${formatNumber(medianOf(atOnce, ({ plain }) => rate(plain)))}/s`,
    value: medianOf(atOnce, ({ client, plain }) => rate(client) / rate(plain)),
    goal: { min: 10 },
  })
  addRow({
    label: `${title}: CPU of the caller per check`,
    daikon: `${formatNumber(medianOf(atOnce, ({ client }) => cpu(client)))} µs`,
    baseline: `${formatNumber(medianOf(atOnce, ({ plain }) => cpu(plain)))} µs`,
    value: medianOf(atOnce, ({ client, plain }) => cpu(client) / cpu(plain)),
    goal: { max: 0.1 },
  })

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
