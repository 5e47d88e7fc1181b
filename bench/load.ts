import { setTimeout as sleep } from 'node:timers/promises'
import type { Connection, OpenConnection } from './connection.ts'
import { openHttp1 } from './http1-connection.ts'
import { type PreparedRequest, readPreparedRequests } from './prepared-requests.ts'
import { latenciesOf } from './quantiles.ts'
import { openStream } from './stream-connection.ts'
import { openUnary } from './unary-connection.ts'

/** The load of one measurement. */
export type Job = {
  kind: keyof typeof kinds
  port: number
  /** Files of prepared requests. Connections use them in turn. */
  files: string[]
  seconds: number
  /**
   * The number of requests in flight. In an open loop, `pace` is the number of requests sent per
   * second.
   */
  inFlight: number
  pace?: number
  /** The expected status of HTTP/1.1 responses, by default 200. Bodies of others are not compared. */
  status?: number
  /** Sends each request at most once. */
  once?: true
  /**
   * The top-level fields of the responses to compare, in any order. If undefined, responses must be
   * equal. Supported only by the Go generator.
   */
  fields?: number[]
}

/**
 * Responses per second, latencies in milliseconds, and the number of calls including warm-up.
 * `generatorCpu` is the CPU time of the generator in microseconds, including warm-up.
 */
export type Result = {
  rate: number
  p50: number
  p99: number
  calls: number
  wrong: number
  generatorCpu?: number
}

const kinds = { unary: openUnary, stream: openStream, http1: openHttp1 } satisfies Record<
  string,
  OpenConnection
>

const connections = 4
const warmUp = 0.5

const prepared = new Map<string, PreparedRequest[]>()

// Runs in its own process, so that it does not share a thread with the server under test.
process.on('message', async (job: Job) => process.send?.(await run(job)))
process.once('disconnect', () => process.exit())

async function run(job: Job): Promise<Result> {
  const { kind, port, status, files, seconds, inFlight, pace, once } = job
  let times: number[] = []
  let calls = 0
  let wrong = 0
  const onResponse = (milliseconds: number, correct: boolean) => {
    times.push(milliseconds)
    calls += 1
    if (!correct) wrong += 1
  }
  const sources = files.map((file) => source(kind, file, once))
  const cpuBefore = process.cpuUsage()
  const count = pace ? connections : Math.min(connections, inFlight)
  const openConnections = await Promise.all(
    Array.from({ length: count }, (_, index) =>
      kinds[kind]({
        port,
        status,
        onResponse,
        inFlight: pace ? 0 : Math.ceil(inFlight / count),
        next: sources[index % sources.length] as () => PreparedRequest | undefined,
      }),
    ),
  )
  const pacer = pace ? startPacer(openConnections, pace) : undefined
  await sleep(warmUp * 1000)
  times = []
  const started = performance.now()
  await sleep(seconds * 1000)
  const elapsed = (performance.now() - started) / 1000
  clearInterval(pacer)
  for (const connection of openConnections) connection.stop()
  const { user, system } = process.cpuUsage(cpuBefore)
  if (once) prepared.clear()
  return {
    rate: times.length / elapsed,
    ...latenciesOf(times),
    calls,
    wrong,
    generatorCpu: user + system,
  }
}

/**
 * Repeats the requests of a file. In a stream, only those after the opening message are repeated.
 */
function source(kind: Job['kind'], file: string, once: true | undefined) {
  const requests = prepared.get(file) ?? readPreparedRequests(file)
  prepared.set(file, requests)
  const first = kind === 'stream' ? 1 : 0
  let index = 0
  return () => {
    if (index === requests.length) {
      if (once) throw new Error(`${file} has too few requests`)
      index = first
    }
    return requests[index++]
  }
}

/** Sends requests when they are due, evenly distributed over the connections. */
function startPacer(openConnections: Connection[], pace: number): NodeJS.Timeout {
  const startedAt = performance.now()
  let sent = 0
  let nextConnection = 0
  return setInterval(() => {
    const due = Math.floor(((performance.now() - startedAt) / 1000) * pace)
    const share = Math.ceil((due - sent) / openConnections.length)
    for (const _ of openConnections) {
      const count = Math.min(share, due - sent)
      openConnections[nextConnection++ % openConnections.length]?.push(count)
      sent += count
    }
  }, 1)
}
