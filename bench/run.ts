import { cpus } from 'node:os'
import { type Child, endChildren, type ServerState, startChild } from './children.ts'
import type { Job, Result } from './load.ts'
import { openPlace } from './place.ts'
import { prepareRequests } from './requests.ts'
import { type Case, head, type Measured, type Round, row } from './table.ts'

/** `npm run bench [-- --quick]`: Check against the floor, interleaved, as ratios. */
const quick = process.argv.includes('--quick')
const rounds = quick ? 1 : 5
const seconds = quick ? 0.5 : 2
const cases: Case[] = [
  { items: 1, inFlight: 1 },
  { items: 1, inFlight: 8 },
  { items: 1, inFlight: 64, goal: 0.45, later: 0.6 },
  { items: 1, inFlight: 256, goal: 0.6, later: 0.75 },
  { items: 50, inFlight: 16, later: 0.2 },
]

/** Milliseconds after which something must be wrong; the making of the data set is not counted. */
const longest = 600_000

const place = await openPlace(quick)
const { size } = place
const bound = setTimeout(() => {
  endChildren()
  throw new Error('the bench takes too long')
}, longest)

try {
  const load = startChild('load.ts')
  const floor = startChild('floor-server.ts')
  const daikon = startChild('daikon-server.ts', place.url, ...Object.values(place.keyPaths))
  const { port } = await daikon.ask<ServerState>({})

  const files = new Map<number, Awaited<ReturnType<typeof prepareRequests>>>()
  for (const items of new Set(cases.map((each) => each.items))) {
    const count = Math.ceil((quick ? 100 : 2000) / Math.sqrt(items))
    const prepared = await prepareRequests(place, port, items, count)
    const share = (prepared.allowed * 100).toFixed(0)
    process.stdout.write(`${count} requests of ${items}: ${share} % of the items are allowed\n`)
    files.set(items, prepared)
  }

  process.stdout.write(`
${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}, ${size.users} users,
${size.resources} resources, three times as many shares; medians of ${rounds} rounds of ${seconds} s
${head}
`)
  for (const each of cases) {
    const { items, inFlight } = each
    const file = files.get(items)
    if (!file) continue
    const measured: Round[] = []
    for (let round = 0; round < rounds; round += 1) {
      measured.push({
        floor: await measure(load, floor, { file: file.floor, inFlight, seconds }),
        daikon: await measure(load, daikon, { file: file.daikon, inFlight, seconds }),
      })
    }
    process.stdout.write(`${row(each, measured)}\n`)
  }
} finally {
  clearTimeout(bound)
  endChildren()
  await place.close()
}

/** A wrong answer, a missing one, or none at all fails the bench. */
async function measure(load: Child, server: Child, job: Omit<Job, 'port'>): Promise<Measured> {
  const before = await server.ask<ServerState>({})
  const result = await load.ask<Result>({ ...job, port: before.port })
  const after = await server.ask<ServerState>({})
  if (result.wrong > 0) throw new Error(`${result.wrong} of ${result.calls} answers are wrong`)
  if (result.calls === 0) throw new Error('no answers')
  return {
    ...result,
    cpu: after.cpu - before.cpu,
    statements: after.statements - before.statements,
  }
}
