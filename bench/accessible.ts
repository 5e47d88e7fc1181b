import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  AccessibleResourcesRequest,
  AccessibleResourcesResponse,
  PermissionServiceService,
} from '../gen/daikon/v1/permissions.ts'
import { type Asker, createAsker } from './asker.ts'
import type { Child, ServerState } from './children.ts'
import { grpcHead } from './credentials.ts'
import { idOf, kind, readers } from './data-set.ts'
import type { DriverJob } from './driver.ts'
import { grpcMessage } from './http2-frames.ts'
import { write } from './requests.ts'
import type { Measured, Rig } from './rig.ts'
import { interleave, medianOf } from './rounds.ts'
import { number, type Row } from './table.ts'

const { accessible, accessibleStream } = PermissionServiceService
const megabyte = 1024 * 1024

/** Accessible for readers of ever more shares, page by page and as a stream. */
export async function measureAccessible(rig: Rig, tell: (row: Row) => void): Promise<void> {
  const { place, quick, rounds } = rig
  const daikon = rig.daikon()
  const { port } = await daikon.ask<ServerState>({})
  const asker = createAsker(port)
  try {
    const people: Reader[] = []
    for (const [at, { shares }] of readers(place.size).entries()) {
      const token = await rig.sign(place.size.users + at, 0)
      people.push({ shares, token })
    }
    await measurePages(rig, asker, people, tell)

    const turns = quick ? 1 : rounds
    const whole = await interleave(turns, {
      few: () => readAll(asker, people[1] as Reader),
      many: () => readAll(asker, people[2] as Reader),
    })
    const few = medianOf(whole, ({ few }) => few)
    const many = medianOf(whole, ({ many }) => many)
    const [, middle, last] = people.map(({ shares }) => number(shares))
    tell({
      what: `µs an id in pages of 1,000, ${last} shares beside ${middle}`,
      daikon: `${number(many)} µs`,
      beside: `${number(few)} µs`,
      value: medianOf(whole, ({ few, many }) => many / few),
      goal: { most: 1.25 },
    })
    await measureStreams(rig, asker, daikon, people[2] as Reader, tell)
  } finally {
    asker.close()
  }
}

type Reader = { shares: number; token: string }

/** Pages of 100 by the number of shares, and the first of 1,000 beside a row read by its index. */
async function measurePages(
  rig: Rig,
  asker: Asker,
  people: Reader[],
  tell: (row: Row) => void,
): Promise<void> {
  const { place, seconds } = rig
  const daikon = rig.daikon()
  const driver = rig.child('driver.ts', place.url)
  const pages = async (limit: number, reader: Reader) => {
    const body = request(limit)
    const expected = await asker.ask(accessible.path, reader.token, body)
    const head = grpcHead(accessible.path, reader.token)
    const prepared = [{ head, body: grpcMessage(body), expected }]
    return write(rig, `accessible-${reader.shares}-${limit}`, prepared)
  }
  const read = (file: string) => () =>
    rig.measure(daikon, { kind: 'unary', inFlight: 1, files: [file] })
  const small = Object.fromEntries(
    await Promise.all(
      people.map(
        async (reader) => [number(reader.shares), read(await pages(100, reader))] as const,
      ),
    ),
  )
  const pagesOf100 = await interleave(rig.rounds, small)
  const times = Object.keys(small).map((shares) =>
    medianOf(pagesOf100, (round) => round[shares]?.p50 ?? 0),
  )
  tell({
    what: `a page of 100 ids, ${Object.keys(small).join(' / ')} shares: slowest beside quickest`,
    daikon: `p50 ${times.map(number).join(' / ')} ms`,
    beside: '',
    value: Math.max(...times) / Math.min(...times),
    goal: { most: 1.25 },
  })

  const written = { resources: place.size.resources } as DriverJob['written']
  const most = people[2] as Reader
  const file = await pages(1000, most)
  const taken = await interleave(rig.rounds, {
    page: read(file),
    row: () => driver.ask<Measured>({ what: 'row', inFlight: 1, seconds, written }),
  })
  tell({
    what: `first page of 1,000 ids of ${number(most.shares)}, beside a row by its index`,
    daikon: `p50 ${number(medianOf(taken, ({ page }) => page.p50))} ms`,
    beside: `p50 ${number(medianOf(taken, ({ row }) => row.p50))} ms`,
    value: medianOf(taken, ({ page, row }) => page.p50 / row.p50),
    goal: { most: 10 },
  })
}

/** Every id by pages of 1,000; answers microseconds an id. */
async function readAll(asker: Asker, { token, shares }: Reader): Promise<number> {
  const began = performance.now()
  let page_token: string | undefined
  let count = 0
  do {
    const bytes = await asker.ask(accessible.path, token, request(1000, page_token))
    const answer = AccessibleResourcesResponse.decode(bytes)
    count += answer.resource_ids.length
    page_token = answer.next_page_token
  } while (page_token)
  if (count < shares) throw new Error(`${count} ids of ${shares}`)
  return ((performance.now() - began) * 1000) / count
}

/** What the server holds of streams that nobody takes from. */
async function measureStreams(
  rig: Rig,
  asker: Asker,
  daikon: Child,
  { token, shares }: Reader,
  tell: (row: Row) => void,
): Promise<void> {
  const readStream = async () => {
    let count = 0
    for await (const bytes of asker.read(accessibleStream.path, token, request(1000)))
      count += AccessibleResourcesResponse.decode(bytes as Buffer).resource_ids.length
    if (count < shares) throw new Error(`${count} ids of ${shares}`)
    return count
  }
  const rss = async () => (await daikon.ask<ServerState>({})).rss
  // What a server that has just started still has to take.
  const turns = rig.quick ? 1 : 10
  for (let turn = 0; turn < turns; turn += 1) await readStream()
  const before = await rss()
  const began = performance.now()
  let count = 0
  for (let turn = 0; turn < turns; turn += 1) count += await readStream()
  const seconds = (performance.now() - began) / 1000
  const read = await rss()
  tell({
    what: `AccessibleStream of ${number(shares)} ids, ${turns} times: growth of the server`,
    daikon: `${number(count / seconds)} ids/s`,
    beside: `${number(before / megabyte)} MB before`,
    value: (read - before) / megabyte,
    unit: ' MB',
    goal: { most: 32 },
  })
  const streams = Array.from({ length: 20 }, () =>
    asker.read(accessibleStream.path, token, request(1000)),
  )
  await Promise.all(streams.map((stream) => once(stream, 'metadata')))
  await sleep(rig.quick ? 500 : 2000)
  tell({
    what: `${streams.length} such streams whose clients do not read: growth of the server`,
    daikon: '',
    beside: `${number(read / megabyte)} MB before`,
    value: ((await rss()) - read) / megabyte,
    unit: ' MB',
    goal: { most: 32 },
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
