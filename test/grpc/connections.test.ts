import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { credentials } from '@grpc/grpc-js'
import test from 'ava'
import {
  endStream,
  frame,
  frameType,
  grpcHeadersFrame,
  grpcMessage,
  preface,
} from '../../bench/http2-frames.ts'
import {
  type CheckStreamResponse,
  PermissionServiceClient,
} from '../../gen/daikon/v1/permissions.ts'
import { waitUntilBlocked } from '../support/lock-waits.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { createMetadata, type Transport } from '../support/transports.ts'
import { waitUntil } from '../support/wait-until.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment({ grpcKeepalive: { interval: 200, timeout: 4000 } })
const [transport] = environment.transports as [Transport]
const fixture = await createWorkspaceFixture(environment, transport)
const { owner, viewer } = fixture.people
const { resource_id } = await fixture.register(owner, { visibility: 'workspace' })
const check = { ...fixture.kind, resource_id, action: 'view' }
test.after.always(() => environment.stop())

test.serial('an unresponsive connection is closed, an idle stream is not', async (t) => {
  const address = `127.0.0.1:${environment.grpcPort}`
  const client = new PermissionServiceClient(address, credentials.createInsecure())
  const stream = client.checkStream(createMetadata(fixture.as(viewer)))
  stream.on('error', () => {})
  const sendCheck = async (correlation_id: string): Promise<CheckStreamResponse> => {
    stream.write({ correlation_id, check })
    return (await once(stream, 'data'))[0]
  }
  t.true((await sendCheck('before')).allowed)
  const started = performance.now()
  await Promise.all(
    [preface, preface.subarray(0, 10), Buffer.alloc(0)].map((bytes) => {
      const socket = connect(environment.grpcPort, '127.0.0.1').resume()
      socket.on('error', () => {})
      socket.write(bytes)
      return once(socket, 'close', { signal: AbortSignal.timeout(60_000) })
    }),
  )
  t.true(performance.now() - started > 3000)
  t.true((await sendCheck('after')).allowed)
  stream.cancel()
  client.close()
})

test.serial(
  'a call that takes longer than a keepalive ping completes during a drain',
  async (t) => {
    const draining = await environment.addNode()
    const [inside] = draining.transports as [Transport]
    const holder = await environment.pool.connect()
    await holder.query('begin')
    await holder.query('lock table users in access exclusive mode')
    const call = inside.call('GetMe', {}, { token: viewer.token })
    // The call waits for the table lock for the duration of two pings.
    await waitUntilBlocked(environment.pool)
    const drained = draining.app.drain()
    await sleep(600)
    await holder.query('commit')
    holder.release()
    const outcome = await call
    t.true(outcome.ok, JSON.stringify(outcome))
    await drained
  },
)

// A client that reuses connections, such as a proxy, may send a call while GOAWAY is on its way.
test.serial('a call that an idle connection sends when a drain begins is handled', async (t) => {
  const draining = await environment.addNode()
  const socket = connect(draining.grpcPort, '127.0.0.1')
  const headers = grpcHeadersFrame('/grpc.health.v1.Health/Check')
  headers.writeUInt32BE(1, 5)
  const message = frame(frameType.data, endStream, 1, grpcMessage(Buffer.alloc(0)))
  let received = Buffer.alloc(0)
  const includes = (type: number) => listFrameTypes(received).includes(type)
  socket.on('data', (bytes) => {
    const wasAnnounced = includes(frameType.goaway)
    received = Buffer.concat([received, bytes])
    if (!wasAnnounced && includes(frameType.goaway)) socket.write(Buffer.concat([headers, message]))
  })
  socket.write(preface)
  await waitUntil(() => includes(frameType.settings))
  const drained = draining.app.drain()
  await waitUntil(() => includes(frameType.headers))
  socket.end()
  await drained
  t.true(includes(frameType.data))
})

function listFrameTypes(bytes: Buffer): number[] {
  const types: number[] = []
  for (let start = 0; start + 9 <= bytes.length; start += 9 + bytes.readUIntBE(start, 3))
    types.push(bytes.readUInt8(start + 3))
  return types
}
