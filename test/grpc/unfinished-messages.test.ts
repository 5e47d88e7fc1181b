import { connect } from 'node:http2'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { createFaultEnvironment } from '../../bench/faults/fault-environment.ts'
import { uint32 } from '../../bench/http2-frames.ts'
import { cloneDatabase } from '../support/database.ts'
import { sendRawGrpc } from '../support/raw-requests.ts'
import type { Transport } from '../support/transports.ts'
import { waitUntil } from '../support/wait-until.ts'

const database = await cloneDatabase()
const environment = await createFaultEnvironment(database.url)
const { owner } = await environment.workspace()
const node = await environment.node()
test.after.always(async () => {
  await node.stop()
  await environment.close()
  await database.drop()
})

const mebibyte = 1024 * 1024
const messageBytes = 4 * mebibyte - 100
const path = '/daikon.v1.UserService/GetMe'

/** Sends messages without credentials and without their last byte. */
function sendUnfinished(port: number, streams: number, announced = messageBytes) {
  const session = connect(`http://127.0.0.1:${port}`, { maxSessionMemory: 10_000 })
  session.on('error', () => {})
  const bytes = Buffer.concat([Buffer.from([0]), uint32(announced), Buffer.alloc(announced - 1)])
  const codes: (number | undefined)[] = []
  for (let index = 0; index < streams; index += 1) {
    const headers = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc' }
    const stream = session.request({ ...headers, te: 'trailers' })
    stream.on('error', () => {})
    stream.on('close', () => codes.push(stream.rstCode))
    stream.write(bytes)
  }
  return { session, codes }
}

/** The growth of resident memory in MiB while `work` runs. */
async function measureGrowth(work: () => Promise<void>): Promise<number> {
  const before = node.memory()
  let maximum = before
  const watch = setInterval(() => {
    maximum = Math.max(maximum, node.memory())
  }, 20)
  await work()
  clearInterval(watch)
  return maximum - before
}

for (const { connections, streams, limit } of [
  { connections: 1, streams: 100, limit: 100 },
  { connections: 40, streams: 5, limit: 250 },
])
  test.serial(
    `${streams} unfinished messages of 4 MiB on each of ${connections} connections take bounded memory`,
    async (t) => {
      const [grpc] = node.transports as [Transport]
      const growth = await measureGrowth(async () => {
        // The second round reuses the memory that the first released.
        for (let round = 0; round < 2; round += 1) {
          const sent = Array.from({ length: connections }, () =>
            sendUnfinished(node.grpcPort, streams),
          )
          for (let call = 0; call < 8; call += 1) {
            // On a busy machine, the database may respond too late.
            const outcome = await grpc.call('GetMe', {}, { token: owner.token })
            t.true(outcome.ok || outcome.reason === 'STORAGE_UNAVAILABLE', JSON.stringify(outcome))
            await sleep(300)
          }
          for (const { session } of sent) session.destroy()
        }
      })
      t.log(`${growth} MiB`)
      t.true(growth < limit, `${growth} MiB`)
    },
  )

test.serial('parallel messages above the limit of a connection all arrive', async (t) => {
  const session = connect(`http://127.0.0.1:${node.grpcPort}`, { maxSessionMemory: 10_000 })
  t.teardown(() => session.destroy())
  const bytes = Buffer.concat([Buffer.from([0]), uint32(mebibyte), Buffer.alloc(mebibyte)])
  const statuses = await Promise.all(
    Array.from({ length: 30 }, () => {
      const headers = { ':method': 'POST', ':path': path, 'content-type': 'application/grpc' }
      const stream = session.request({ ...headers, te: 'trailers' })
      const { promise, resolve } = Promise.withResolvers<unknown>()
      const read = (headers: Record<string, unknown>) => {
        if (headers['grpc-status'] !== undefined) resolve(headers['grpc-status'])
      }
      stream.on('response', read)
      stream.on('trailers', read)
      stream.on('error', resolve)
      stream.resume()
      stream.end(bytes)
      return promise
    }),
  )
  t.deepEqual([...new Set(statuses)], ['16'])
})

test.serial('a message that announces too many bytes is rejected before it arrives', async (t) => {
  const status = await sendRawGrpc(node.grpcPort, path, Buffer.alloc(5 * mebibyte))
  t.like(status, { code: 8, reason: 'MESSAGE_TOO_LARGE' })
})

test.serial('a message that takes longer than 20 seconds is reset', async (t) => {
  const { session, codes } = sendUnfinished(node.grpcPort, 2, 1000)
  t.teardown(() => session.destroy())
  const headers = { ':method': 'POST', 'content-type': 'application/grpc', te: 'trailers' }
  const streamPath = '/daikon.v1.PermissionService/CheckStream'
  const others = {
    'without a message': session.request({ ...headers, ':path': path }),
    'with a message, but without an end': session.request({ ...headers, ':path': path }),
    'of checks without a message': session.request({ ...headers, ':path': streamPath }),
    'of an unknown method': session.request({ ...headers, ':path': '/unknown' }),
  }
  others['with a message, but without an end'].write(Buffer.alloc(5))
  const ended = new Set<string>()
  for (const [title, stream] of Object.entries(others)) {
    stream.on('error', () => {})
    stream.on('close', () => ended.add(title))
    stream.resume()
  }
  await sleep(10_000)
  t.deepEqual(codes, [])
  t.deepEqual([...ended], [])
  await waitUntil(() => codes.length === 2 && ended.size === Object.keys(others).length)
  t.deepEqual(codes, [8, 8])
})
