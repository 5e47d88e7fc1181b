import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  AccessibleResourcesRequest,
  AccessibleResourcesResponse,
  PermissionServiceService,
} from '../gen/daikon/v1/permissions.ts'
import type { BenchProcess, ServerState } from './child-process.ts'
import { grpcHead } from './credentials.ts'
import { idOf, kind, readers } from './data-set.ts'
import type { DriverJob, WriteTarget } from './driver.ts'
import { type BenchClient, createBenchClient } from './grpc-client.ts'
import type { Harness, Measurement } from './harness.ts'
import { grpcMessage } from './http2-frames.ts'
import { interleave, medianOf } from './rounds.ts'
import { formatNumber, type Row } from './table.ts'
import { writeRequests } from './write-requests.ts'

const { accessible, accessibleStream } = PermissionServiceService
const megabyte = 1024 * 1024

/** Measures Accessible for users with increasing numbers of shares, in pages and as a stream. */
export async function measureAccessible(
  harness: Harness,
  addRow: (row: Row) => void,
): Promise<void> {
  const { database, quick, rounds } = harness
  const daikon = harness.daikon()
  const { port } = await daikon.request<ServerState>({})
  const client = createBenchClient(port)
  try {
    const readerList: Reader[] = []
    for (const [index, { shares }] of readers(database.size).entries()) {
      const token = await harness.signToken(database.size.users + index, 0)
      readerList.push({ shares, token })
    }
    await measurePages(harness, client, readerList, addRow)

    const repetitions = quick ? 1 : rounds
    const results = await interleave(repetitions, {
      few: () => readAll(client, readerList[1] as Reader),
      many: () => readAll(client, readerList[2] as Reader),
    })
    const few = medianOf(results, ({ few }) => few)
    const many = medianOf(results, ({ many }) => many)
    const [, middle, last] = readerList.map(({ shares }) => formatNumber(shares))
    addRow({
      label: `µs per ID in pages of 1,000, ${last} shares compared with ${middle}`,
      daikon: `${formatNumber(many)} µs`,
      baseline: `${formatNumber(few)} µs`,
      value: medianOf(results, ({ few, many }) => many / few),
      goal: { max: 1.25 },
    })
    await measureStreams(harness, client, daikon, readerList[2] as Reader, addRow)
  } finally {
    client.close()
  }
}

type Reader = { shares: number; token: string }

/**
 * Measures pages of 100 by number of shares, and compares the first page of 1,000 with reading an
 * indexed row.
 */
async function measurePages(
  harness: Harness,
  client: BenchClient,
  readers: Reader[],
  addRow: (row: Row) => void,
): Promise<void> {
  const { database, seconds } = harness
  const daikon = harness.daikon()
  const driver = harness.startProcess('driver.ts', database.url)
  const pages = async (limit: number, reader: Reader) => {
    const body = request(limit)
    const expected = await client.call(accessible.path, reader.token, body)
    const head = grpcHead(accessible.path, reader.token)
    const prepared = [{ head, body: grpcMessage(body), expected }]
    return writeRequests(harness, `accessible-${reader.shares}-${limit}`, prepared)
  }
  const read = (file: string) => () =>
    harness.measure(daikon, { kind: 'unary', inFlight: 1, files: [file] })
  const small = Object.fromEntries(
    await Promise.all(
      readers.map(
        async (reader) => [formatNumber(reader.shares), read(await pages(100, reader))] as const,
      ),
    ),
  )
  const pagesOf100 = await interleave(harness.rounds, small)
  const times = Object.keys(small).map((shares) =>
    medianOf(pagesOf100, (round) => round[shares]?.p50 ?? 0),
  )
  addRow({
    label: `a page of 100 IDs, ${Object.keys(small).join(' / ')} shares: slowest compared with fastest`,
    daikon: `p50 ${times.map(formatNumber).join(' / ')} ms`,
    baseline: '',
    value: Math.max(...times) / Math.min(...times),
    goal: { max: 1.25 },
  })

  const target = { resources: database.size.resources } as WriteTarget
  const max = readers[2] as Reader
  const file = await pages(1000, max)
  const results = await interleave(harness.rounds, {
    page: read(file),
    row: () =>
      driver.request<Measurement>({
        statement: 'row',
        inFlight: 1,
        seconds,
        target,
      } satisfies DriverJob),
  })
  addRow({
    label: `first page of 1,000 of ${formatNumber(max.shares)}, compared with a row by its index`,
    daikon: `p50 ${formatNumber(medianOf(results, ({ page }) => page.p50))} ms`,
    baseline: `p50 ${formatNumber(medianOf(results, ({ row }) => row.p50))} ms`,
    value: medianOf(results, ({ page, row }) => page.p50 / row.p50),
    goal: { max: 10 },
  })
}

/** Reads every ID in pages of 1,000. Returns the microseconds per ID. */
async function readAll(client: BenchClient, { token, shares }: Reader): Promise<number> {
  const startedAt = performance.now()
  let page_token: string | undefined
  let count = 0
  do {
    const bytes = await client.call(accessible.path, token, request(1000, page_token))
    const response = AccessibleResourcesResponse.decode(bytes)
    count += response.resource_ids.length
    page_token = response.next_page_token
  } while (page_token)
  if (count < shares) throw new Error(`${count} ids of ${shares}`)
  return ((performance.now() - startedAt) * 1000) / count
}

/** Measures the server's memory for streams, including streams that clients do not read. */
async function measureStreams(
  harness: Harness,
  client: BenchClient,
  daikon: BenchProcess,
  { token, shares }: Reader,
  addRow: (row: Row) => void,
): Promise<void> {
  const readStream = async () => {
    let count = 0
    for await (const bytes of client.readStream(accessibleStream.path, token, request(1000)))
      count += AccessibleResourcesResponse.decode(bytes as Buffer).resource_ids.length
    if (count < shares) throw new Error(`${count} ids of ${shares}`)
    return count
  }
  const rss = async () => (await daikon.request<ServerState>({})).rss
  // Streams are read first to warm up the server's memory.
  const repetitions = harness.quick ? 1 : 10
  for (let repetition = 0; repetition < repetitions; repetition += 1) await readStream()
  const before = await rss()
  const startedAt = performance.now()
  let count = 0
  for (let repetition = 0; repetition < repetitions; repetition += 1) count += await readStream()
  const seconds = (performance.now() - startedAt) / 1000
  const read = await rss()
  addRow({
    label: `AccessibleStream of ${formatNumber(shares)} IDs, ${repetitions} times: memory growth of the server`,
    daikon: `${formatNumber(count / seconds)} IDs/s`,
    baseline: `${formatNumber(before / megabyte)} MB before`,
    value: (read - before) / megabyte,
    unit: ' MB',
    goal: { max: 32 },
  })
  const streams = Array.from({ length: 20 }, () =>
    client.readStream(accessibleStream.path, token, request(1000)),
  )
  await Promise.all(streams.map((stream) => once(stream, 'metadata')))
  await sleep(harness.quick ? 500 : 2000)
  addRow({
    label: `${streams.length} such streams whose clients do not read: memory growth of the server`,
    daikon: '',
    baseline: `${formatNumber(read / megabyte)} MB before`,
    value: ((await rss()) - read) / megabyte,
    unit: ' MB',
    goal: { max: 32 },
  })
  for (const stream of streams) {
    stream.on('error', () => {})
    stream.cancel()
  }
}

function request(limit: number, page_token?: string): Uint8Array {
  return AccessibleResourcesRequest.encode({
    ...kind,
    action: 'view',
    workspace_id: idOf('w', 0),
    limit,
    page_token,
  }).finish()
}
