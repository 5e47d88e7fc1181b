import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { openConnection, type Prepared } from './connection.ts'

/** One measurement, as the bench asks for it. */
export type Job = { port: number; file: string; inFlight: number; seconds: number }

/** What came of it: answers a second, milliseconds, and all calls, those of the warm-up too. */
export type Result = { rate: number; p50: number; p99: number; calls: number; wrong: number }

const connections = 4
const warmUp = 0.5

const prepared = new Map<string, Prepared[]>()

// A process of its own: it may not share a thread with what it measures.
process.on('message', async (job: Job) => process.send?.(await run(job)))
process.once('disconnect', () => process.exit())

async function run({ port, file, inFlight, seconds }: Job): Promise<Result> {
  const requests = prepared.get(file) ?? read(file)
  prepared.set(file, requests)
  let at = 0
  const next = () => requests[at++ % requests.length] as Prepared
  let times: number[] = []
  let calls = 0
  let wrong = 0
  const count = Math.min(connections, inFlight)
  const opened = await Promise.all(
    Array.from({ length: count }, () =>
      openConnection(port, inFlight / count, next, (milliseconds, correct) => {
        times.push(milliseconds)
        calls += 1
        if (!correct) wrong += 1
      }),
    ),
  )
  await sleep(warmUp * 1000)
  times = []
  const started = performance.now()
  await sleep(seconds * 1000)
  const elapsed = (performance.now() - started) / 1000
  for (const connection of opened) connection.stop()
  const sorted = Float64Array.from(times).sort()
  const quantile = (share: number) => sorted[Math.floor(sorted.length * share)] ?? 0
  return { rate: times.length / elapsed, p50: quantile(0.5), p99: quantile(0.99), calls, wrong }
}

function read(file: string): Prepared[] {
  const lines = readFileSync(file, 'utf8').trim().split('\n')
  return lines.map((line) => {
    const [request = '', expected = ''] = line.split(' ')
    return { request: Buffer.from(request, 'base64'), expected: Buffer.from(expected, 'base64') }
  })
}
