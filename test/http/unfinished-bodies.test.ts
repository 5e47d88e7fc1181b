import { connect } from 'node:net'
import test from 'ava'
import { createFaultEnvironment } from '../../bench/faults/fault-environment.ts'
import { createServiceKey } from '../../src/identity/service-keys.ts'
import { cloneDatabase } from '../support/database.ts'
import { waitUntil } from '../support/wait-until.ts'

const database = await cloneDatabase()
const environment = await createFaultEnvironment(database.url)
const { owner } = await environment.workspace()
const node = await environment.node({ SERVICE_KEYS_REQUIRED: 'true' })
test.after.always(async () => {
  await node.stop()
  await environment.close()
  await database.drop()
})

const kibibyte = 1024

/** The size of a body and the number of requests that are sent. */
type Flood = { bodyBytes: number; requests: number }

const largeBodies: Flood = { bodyBytes: 4096 * kibibyte, requests: 100 }

/**
 * Sends a request without the last byte of its body. `status` resolves to 0 if there is no response.
 */
function sendUnfinished(
  path: string,
  headers: string[],
  { bodyBytes, sent = bodyBytes - 1 }: { bodyBytes: number; sent?: number },
) {
  const socket = connect(node.httpPort, '127.0.0.1')
  const status = new Promise<number>((resolve) => {
    socket.once('data', (data) => resolve(Number(/^HTTP\/1.1 (\d+)/.exec(String(data))?.[1])))
    socket.once('close', () => resolve(0))
  })
  socket.on('error', () => {})
  const lines = [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    'Content-Type: application/json',
    `Content-Length: ${bodyBytes}`,
    ...headers,
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  if (sent > 0) socket.write(Buffer.alloc(sent, ' '))
  return { socket, status }
}

/** Sends unfinished requests; returns their statuses and the resident memory growth in MiB. */
async function flood(
  path: string,
  headers: string[],
  responses: number,
  { bodyBytes, requests } = largeBodies,
) {
  const before = node.memory()
  let maximum = before
  const watch = setInterval(() => {
    maximum = Math.max(maximum, node.memory())
  }, 20)
  const sent = Array.from({ length: requests }, () => sendUnfinished(path, headers, { bodyBytes }))
  const statuses: number[] = []
  const enough = Promise.withResolvers<void>()
  for (const { status } of sent) {
    status.then((code) => {
      statuses.push(code)
      if (statuses.length === responses) enough.resolve()
    })
  }
  await enough.promise
  const [, rest] = node.transports
  // On a busy machine, the database may respond too late for the first call.
  await waitUntil(async () => (await rest?.call('GetMe', {}, { token: owner.token }))?.ok === true)
  clearInterval(watch)
  for (const { socket } of sent) socket.destroy()
  return { statuses, growth: maximum - before }
}

for (const { caller, path, headers } of [
  { caller: 'no token', path: '/permissions/check', headers: [] },
  { caller: 'an invalid token', path: '/workspaces', headers: ['Authorization: Bearer x.y.z'] },
  { caller: 'no service key', path: '/permissions/register', headers: [] },
  {
    caller: 'an unknown service key',
    path: '/permissions/register',
    headers: [`X-Service-Key: ${createServiceKey()}`],
  },
  { caller: 'no admin token', path: '/admin/import/csv/execute', headers: [] },
]) {
  test.serial(`large bodies of a caller with ${caller} are rejected unread`, async (t) => {
    const { statuses, growth } = await flood(path, headers, 100)
    t.log(`${growth} MiB`)
    // A connection may be reset while the client is still writing. On a busy machine, a request may
    // arrive more than ten seconds after its connection, or the database respond too late.
    const rejected = statuses.filter((status) => [401, 408, 503].includes(status))
    t.true(rejected.length >= 50, String(statuses))
    t.deepEqual(
      statuses.filter((status) => status !== 0 && !rejected.includes(status)),
      [],
    )
    t.true(growth < 350, `${growth} MiB`)
  })
}

test.serial('unfinished bodies of a public route take bounded memory', async (t) => {
  // 256 bodies fit into 64 MiB.
  const bodies = { bodyBytes: 256 * kibibyte, requests: 400 }
  const { statuses, growth } = await flood('/auth/refresh', [], 144, bodies)
  t.log(`${growth} MiB`)
  t.true(statuses.includes(429))
  t.deepEqual(
    statuses.filter((status) => ![429, 408, 0].includes(status)),
    [],
  )
  t.true(growth < 350, `${growth} MiB`)
})

test.serial('a body that takes longer than 20 seconds returns 408', async (t) => {
  const startedAt = performance.now()
  const { status } = sendUnfinished('/auth/refresh', [], { bodyBytes: 1000, sent: 10 })
  t.is(await status, 408)
  t.true(performance.now() - startedAt >= 19_000)
})
