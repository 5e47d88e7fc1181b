// Threat: the queue of one client app delays another, and the server calls its own network.
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import test from 'ava'
import { decodeJwt } from 'jose'
import { keepConnections } from '../../support/keep-connections.ts'
import { createSignInEnvironment } from '../../support/sign-in.ts'

const environment = await createSignInEnvironment()
const second = await environment.addNode()
const strict = await environment.addNode({ DEBUG: false })
const { pool, seed, clock } = environment

/** The sessions whose logout tokens arrived, and the requests that wait for a response. */
const received: string[] = []
let unanswered: ServerResponse[] = []
const receiver = createServer(keepConnections, async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  received.push(`${decodeJwt(new URLSearchParams(body).get('logout_token') ?? '').sid}`)
  if (request.url === '/silent') unanswered.push(response)
  else response.writeHead(request.url === '/rejecting' ? 400 : 200).end()
})
receiver.listen(0, '127.0.0.1')
await once(receiver, 'listening')
const { port } = receiver.address() as AddressInfo
test.after.always(async () => {
  receiver.close()
  receiver.closeAllConnections()
  await environment.stop()
})

test.beforeEach(async () => {
  received.length = 0
  clock.now = new Date()
  await pool.query('truncate logout_notifications, logout_queues')
})
test.afterEach.always(async () => {
  closeUnanswered()
  for (const { app } of [environment, second]) await app.services.logoutSender.settle()
})

/** Creates a client app and queues logout tokens for it. Returns their sessions. */
async function createApp(path: string | null, count: number) {
  const uri = path === null ? null : `http://127.0.0.1:${port}${path}`
  const id = await seed.clientApp([], { backchannel_logout_uri: uri })
  const sessions = Array.from({ length: count }, (): string => randomUUID())
  await pool.query(
    `insert into logout_notifications (client_id, user_id, session_id, next_attempt_at, expires_at)
     select $1, gen_random_uuid(), session_id, $3, $3::timestamptz + interval '1 hour'
     from unnest($2::uuid[]) session_id`,
    [id, sessions, clock.now],
  )
  return { id, sessions }
}

/** Ends the connections of the requests that wait, as if they had timed out. */
function closeUnanswered() {
  const responses = unanswered
  unanswered = []
  for (const response of responses) response.destroy()
}

const { sendDue, settle } = environment.app.services.logoutSender

/** Waits until `count` logout tokens have arrived. The test times out if they do not. */
async function arrivals(count: number) {
  while (received.length < count) await new Promise((resolve) => setTimeout(resolve, 5))
}

/** The number of notifications of each app that are still queued. */
async function countQueued(id: string): Promise<number> {
  const sql = 'select count(*)::int as count from logout_notifications where client_id = $1'
  return (await pool.query(sql, [id])).rows[0].count
}

async function readQueue(id: string) {
  const sql = 'select failures, next_batch_at from logout_queues where client_id = $1'
  const [row] = (await pool.query(sql, [id])).rows
  return { failures: row.failures, pause: (row.next_batch_at - Number(clock.now)) / 1000 }
}

const advance = (seconds: number) => {
  clock.now = new Date(Number(clock.now) + seconds * 1000)
}

test.serial(
  'notifications of an app without a URI are deleted and delay no other app',
  async (t) => {
    const without = await createApp(null, 600)
    const other = await createApp('/', 1)
    await sendDue()
    await settle()
    t.deepEqual(received, other.sessions)
    t.is(await countQueued(without.id), 0)
  },
)

test.serial('an app that accepts requests and never responds delays no other app', async (t) => {
  const silent = await createApp('/silent', 600)
  await sendDue()
  await arrivals(10)
  const other = await createApp('/', 3)
  // No request to the silent app has ended.
  for (const node of [environment, second, environment, second])
    await node.app.services.logoutSender.sendDue()
  await arrivals(13)
  t.deepEqual(received.slice(10).toSorted(), other.sessions.toSorted())
  t.is(unanswered.length, 10, 'one batch is in flight, over both nodes')
  t.is(await countQueued(silent.id), 600)
})

test.serial('an app that does not respond is paused, for longer each time', async (t) => {
  const { id } = await createApp('/silent', 100)
  const pauses: number[] = []
  for (let batch = 1; batch <= 9; batch += 1) {
    await sendDue()
    await arrivals(10 * batch)
    closeUnanswered()
    await settle()
    const { failures, pause } = await readQueue(id)
    t.is(failures, batch)
    pauses.push(pause)
    advance(pause - 1)
    await sendDue()
    t.is(received.length, 10 * batch, 'the pause is not over')
    advance(1)
  }
  t.deepEqual(pauses, [5, 10, 20, 40, 80, 160, 320, 600, 600])
  await pool.query('update client_apps set backchannel_logout_uri = $1 where id = $2', [
    `http://127.0.0.1:${port}/`,
    id,
  ])
  await sendDue()
  await settle()
  t.is((await readQueue(id)).failures, 0)
})

test.serial('a rejected notification is retried later and does not pause its app', async (t) => {
  const { id, sessions } = await createApp('/rejecting', 2)
  await sendDue()
  await settle()
  t.deepEqual(await readQueue(id), { failures: 0, pause: 0 })
  await sendDue()
  t.deepEqual(received.toSorted(), sessions.toSorted())
  advance(11)
  await sendDue()
  await settle()
  t.is(received.length, 4)
})

test.serial('all due notifications are sent, in batches that are fair between apps', async (t) => {
  const large = await createApp('/', 95)
  const small = await createApp('/', 5)
  await sendDue()
  await settle()
  t.is(received.length, 100)
  t.deepEqual(received.toSorted(), [...large.sessions, ...small.sessions].toSorted())
  const first = received.slice(0, 15)
  t.is(first.filter((session) => small.sessions.includes(session)).length, 5)
  t.is((await countQueued(large.id)) + (await countQueued(small.id)), 0)
})

test.serial(
  'an app whose URI is internal receives nothing, and the operator is warned',
  async (t) => {
    const { id } = await createApp('/', 20)
    for (let run = 0; run < 2; run += 1) {
      await strict.app.services.logoutSender.sendDue()
      await strict.app.services.logoutSender.settle()
    }
    t.deepEqual(received, [])
    t.is(await countQueued(id), 0)
    t.is(strict.warnings.length, 1)
    t.regex(
      strict.warnings[0] ?? '',
      new RegExp(`${id}.*backchannel_logout_uri must not be on a private`),
    )
  },
)

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
