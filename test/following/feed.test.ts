import { once } from 'node:events'
import { get, ServerResponse } from 'node:http'
import { credentials, type ServiceError } from '@grpc/grpc-js'
import test, { type ExecutionContext } from 'ava'
import { ActivityServiceClient, type WatchActivityResponse } from '../../gen/daikon/v1/activity.ts'
import { sealActivity } from '../../src/activity/seal.ts'
import { FeedStore } from '../../src/activity/store/feed-store.ts'
import type { Principal } from '../../src/core/request-context.ts'
import { type Following, follow } from '../../src/following/follow.ts'
import { createLiveFeed, type LiveFeed, type LiveReader } from '../../src/following/live-feed.ts'
import { createWatchActivity } from '../../src/following/watch.ts'
import { activityEvents } from '../../src/server/features.ts'
import { createStores } from '../../src/server/stores.ts'
import { createAdmin } from '../support/admin.ts'
import { readStatusDetails } from '../support/status-details.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { createMetadata } from '../support/transports.ts'
import { waitUntil } from '../support/wait-until.ts'

const environment = await startTestEnvironment()
const { pool, database } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

/** Records and seals entries of about a kilobyte. */
async function recordMany(count: number) {
  await pool.query(
    `insert into activity (id, action, target_type, detail)
     select gen_random_uuid(), 'group.created', 'group', json_build_object('name', repeat('x', 1000))
     from generate_series(1, $1)`,
    [count],
  )
  while ((await sealActivity(createStores(database.fork()))) > 0);
}

test.serial('a thousand readers cost one poll, not a thousand', async (t) => {
  let statements = 0
  const shared = createLiveFeed(
    activityEvents,
    () => {
      statements += 1
      return createStores(database.fork())
    },
    (error) => t.fail(String(error)),
  )
  const live = new Set<LiveReader>()
  /** The readers that got entries in this iteration of the event loop, and the most of any. */
  let receivers = 0
  let mostReceivers = 0
  const countIteration = () => {
    mostReceivers = Math.max(mostReceivers, receivers)
    receivers = 0
    if (!controller.signal.aborted) setImmediate(countIteration)
  }
  const feed: LiveFeed = {
    ...shared,
    join(reader) {
      const hasJoined = shared.join(reader)
      if (!hasJoined) return false
      live.add(reader)
      const { receive } = reader
      reader.receive = (batch) => {
        receivers += 1
        receive.call(reader, batch)
      }
      return true
    },
    leave(reader) {
      live.delete(reader)
      shared.leave(reader)
    },
  }
  const cursor = await new FeedStore(database.fork()).findEnd()
  const controller = new AbortController()
  t.teardown(() => controller.abort())
  let received = 0
  const readers = Array.from({ length: 1000 }, async () => {
    const following: Following = {
      viewer: { kind: 'administrator' },
      cursor,
      select: (entry) => entry,
      verify: async () => {},
    }
    for await (const { entry } of follow(feed, following, controller.signal, () => {})) {
      if (entry) received += 1
    }
  })
  // Every reader reads the log itself before it begins to wait, and again if it misses a poll.
  await waitUntil(() => live.size === 1000)
  await recordMany(1)
  await waitUntil(() => received === 1000 && live.size === 1000)
  // A poll that began before the last reader came back would miss that reader.
  const before = statements
  await waitUntil(() => statements > before && live.size === 1000)
  const startedAt = performance.now()
  statements = 0
  countIteration()
  receivers = 0
  mostReceivers = 0
  await recordMany(1)
  await waitUntil(() => received === 2000)
  const polls = (performance.now() - startedAt) / 700 + 1
  // A poll with entries also reads what and whom they concern.
  t.true(statements <= 3 * polls, `${statements} statements, at most ${polls} polls`)
  t.true(mostReceivers <= 50, `${mostReceivers} readers got the entry at once`)
  controller.abort()
  await Promise.all(readers)
})

test.serial('watches that see the same entry send the same message', async (t) => {
  const feed = createLiveFeed(
    activityEvents,
    () => createStores(database.fork()),
    (error) => t.fail(String(error)),
  )
  const open = createWatchActivity(feed)
  const controller = new AbortController()
  const readers = [0, 1].map(() => ({ isOpen: false, events: [] as WatchActivityResponse[] }))
  const ends = readers.map(async (reader) => {
    const watch = await open({ principal: {} as Principal }, { actions: ['group.created'] })
    for await (const message of watch.messages(
      controller.signal,
      () => {},
      async () => {},
    )) {
      reader.isOpen = true
      if (message.event) reader.events.push(message)
    }
  })
  await waitUntil(() => readers.every(({ isOpen }) => isOpen))
  // A watch that misses a poll reads the entries of that poll itself.
  const isShared = () => readers[0]?.events.at(-1) === readers[1]?.events.at(-1)
  for (let count = 1; count <= 20; count += 1) {
    await recordMany(1)
    await waitUntil(() => readers.every(({ events }) => events.length === count))
    if (isShared()) break
  }
  t.true(isShared())
  controller.abort()
  await Promise.all(ends)
})

test.serial('a slow reader of new entries is ended over gRPC', async (t) => {
  const client = new ActivityServiceClient(
    `127.0.0.1:${environment.grpcPort}`,
    credentials.createInsecure(),
  )
  t.teardown(() => client.close())
  const stream = client.watch({ actions: [] }, createMetadata({ admin: admin.token }))
  const cursors: string[] = []
  const isLive = new Promise<void>((resolve) => stream.once('data', () => resolve()))
  const ended = new Promise<ServiceError>((resolve) => stream.on('error', resolve))
  await isLive
  stream.pause()
  for (let round = 0; round < 4; round += 1) await recordMany(1000)
  await waitForPolls()
  stream.on('data', ({ cursor }) => cursors.push(cursor))
  stream.resume()
  t.is(readStatusDetails((await ended).metadata).reason, 'READER_TOO_SLOW')
  t.true(cursors.length < 4000)
})

test.serial(
  'a slow reader of new entries is ended over REST, with the cursor to continue from',
  async (t) => {
    const isEnded = watchEnds(t, 'READER_TOO_SLOW')
    let recording: Promise<void> | undefined
    const text = await new Promise<string>((resolve, reject) => {
      const headers = { cookie: `admin_token=${admin.token}` }
      const url = `http://127.0.0.1:${environment.httpPort}/activity/watch`
      get(url, { headers }, (response) => {
        let text = ''
        response.setEncoding('utf8')
        response.once('data', async () => {
          response.pause()
          recording = (async () => {
            while (!isEnded()) await recordMany(1000)
          })()
          // The server waits only for seconds until its last message is read.
          await waitUntil(isEnded)
          response.on('data', (chunk) => {
            text += chunk
          })
          response.on('end', () => resolve(text)).on('error', () => resolve(text))
          response.resume()
        })
      }).on('error', reject)
    })
    await recording
    t.regex(text, /event: error\nid: (\S+)\ndata: {"reason":"READER_TOO_SLOW","cursor":"\1"}\n\n$/)
  },
)

/** Returns a function that tells whether the server has ended a response with a text. */
function watchEnds(t: ExecutionContext, text: string): () => boolean {
  let isEnded = false
  const { end } = ServerResponse.prototype
  t.teardown(() => Object.assign(ServerResponse.prototype, { end }))
  Object.assign(ServerResponse.prototype, {
    end(this: ServerResponse, ...last: [unknown, BufferEncoding]) {
      if (String(last[0]).includes(text)) isEnded = true
      return end.call(this, ...last)
    },
  })
  return () => isEnded
}

/** Waits until a reader that keeps up has received everything. */
async function waitForPolls() {
  const end = await new FeedStore(database.fork()).findEnd()
  const client = new ActivityServiceClient(
    `127.0.0.1:${environment.grpcPort}`,
    credentials.createInsecure(),
  )
  const stream = client.watch({ actions: [] }, createMetadata({ admin: admin.token }))
  stream.on('error', () => {})
  await new Promise<void>((resolve) =>
    stream.on('data', ({ cursor }) => {
      if (Number(cursor.split('-')[0]) >= end.position) resolve()
    }),
  )
  // The reader may read the first entry itself. It waits for the second one, as the slow reader does.
  for (let round = 0; round < 2; round += 1) {
    const received = once(stream, 'data')
    await recordMany(1)
    await received
  }
  stream.cancel()
  client.close()
}
