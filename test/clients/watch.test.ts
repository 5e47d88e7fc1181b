// The clients of all languages follow the activity log of a real server, and of a stub that sees
// when they close their streams.
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { Server, ServerCredentials, type ServerWritableStream } from '@grpc/grpc-js'
import test, { type ExecutionContext } from 'ava'
import { ActivityServiceService } from '../../clients/typescript/src/gen/daikon/v1/activity.ts'
import { sealActivity } from '../../src/activity/seal.ts'
import { createStores } from '../../src/server/stores.ts'
import { followers, startFollower } from '../support/follower.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { waitUntil } from '../support/wait-until.ts'
import { openWatchOver } from '../support/watch.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { pool, database, transports } = environment
const [transport] = transports as [Transport]
test.after.always(() => environment.stop())

const seal = async () => {
  while ((await sealActivity(createStores(database.fork()))) > 0);
}

for (const client of Object.keys(followers)) {
  test.serial(
    `${client}: a watch misses nothing when connections break, its node is replaced, and it reads slowly`,
    async (t) => {
      t.timeout(600_000)
      const fixture = await createWorkspaceFixture(environment, transport)
      const { service, key, people } = fixture
      const register = async (count: number) => {
        for (let index = 0; index < count; index += 1) await fixture.register(people.owner)
        await seal()
      }
      await register(1)
      const first = await environment.addNode()
      const relay = await startRelay(t, first.grpcPort)
      const actions = ['permission.*']
      const follower = startFollower(t, client, { address: relay.address, key, actions })
      const reasons = () => follower.lines.flatMap(({ disconnected }) => disconnected ?? [])
      follower.allow(1)
      await follower.waitFor(({ cursor }) => cursor)
      await register(5)
      await follower.takeEvents(5)

      follower.allow(1)
      relay.cut()
      await register(3)
      await follower.takeEvents(8)
      t.true(reasons().length > 0)

      follower.allow(1)
      const second = await environment.addNode()
      await first.app.drain()
      await register(3)
      relay.port = second.grpcPort
      await follower.takeEvents(11)
      t.true(reasons().includes('DRAINING'), reasons().join())

      // Receives the last event after the node has read the others for the follower, too.
      const other = openWatchOver.grpc(second, { actions: ['permission.registered'] }, { key })
      t.teardown(other.stop)
      await waitUntil(() => other.messages.length > 0)
      for (let round = 0; round < 4; round += 1) await recordMany(service, 1000)
      await register(1)
      await other.actions(1)
      await follower.takeEvents(4012)

      const { rows } = await pool.query(
        `select id from activity
         where detail->>'service_name' = $1 and action like 'permission.%' order by seal_seq offset 1`,
        [service],
      )
      t.deepEqual(
        follower.ids(),
        rows.map(({ id }) => id),
      )
    },
  )
}

for (const client of Object.keys(followers)) {
  test(`${client}: cursors that are gone, and invalid arguments and keys, end a watch`, async (t) => {
    const { key } = await createWorkspaceFixture(environment, transport)
    const address = `127.0.0.1:${environment.grpcPort}`
    const follow = async (options: object) => {
      const follower = startFollower(t, client, { address, key, ...options })
      follower.allow(1)
      return (await follower.waitFor(({ failed }) => failed)).failed
    }
    const gone = {
      name: 'CursorGoneError',
      code: 'out_of_range',
      reason: 'CURSOR_GONE',
      fields: [],
    }
    t.deepEqual(await follow({ cursor: '999999999-0123456789abcdef' }), gone)
    const invalid = { name: 'InvalidArgumentError', code: 'invalid_argument' }
    const reason = 'INVALID_REQUEST'
    t.deepEqual(await follow({ cursor: 'x' }), { ...invalid, reason, fields: ['cursor'] })
    const actions = ['member.*', 'member.invted']
    t.deepEqual(await follow({ actions }), { ...invalid, reason, fields: ['actions[1]'] })
    t.like(await follow({ key: 'dk_x' }), {
      name: 'UnauthenticatedError',
      reason: 'SERVICE_KEY_INVALID',
    })
  })

  test(`${client}: a watch closes its stream when its consumer leaves or the client is closed`, async (t) => {
    const stub = await startStub(t)
    const left = startFollower(t, client, { address: stub.address, key: 'dk_stub' })
    left.allow(1)
    await left.waitFor(({ cursor }) => cursor)
    t.is(stub.open.size, 1)
    left.leave()
    await left.waitFor(({ ended }) => ended)
    await waitUntil(() => stub.open.size === 0)

    const closed = startFollower(t, client, { address: stub.address, key: 'dk_stub' })
    closed.allow(2)
    await closed.waitFor(({ cursor }) => cursor)
    closed.close()
    await closed.waitFor(({ ended }) => ended)
    await waitUntil(() => stub.open.size === 0)
    t.is(stub.requests.length, 2)
  })

  test(`${client}: a watch continues after its last cursor when the server ends the stream`, async (t) => {
    const stub = await startStub(t)
    const follower = startFollower(t, client, { address: stub.address, key: 'dk_stub' })
    follower.allow(3)
    await follower.waitFor(({ cursor }) => cursor)
    for (const stream of stub.open) stream.end()
    await follower.waitFor(({ disconnected }) => disconnected === 'STREAM_ENDED')
    await waitUntil(() => stub.open.size === 1 && stub.requests.length === 2)
    t.deepEqual(
      stub.requests.map(({ cursor }) => cursor),
      [undefined, '1-0000000000000000'],
    )
  })
}

/** Records and seals events of a service, each of about a kilobyte. */
async function recordMany(service: string, count: number): Promise<void> {
  await pool.query(
    `insert into activity (id, action, target_type, detail)
     select gen_random_uuid(), 'permission.attributes_changed', 'permission',
       json_build_object('service_name', $2::text, 'resource_type', repeat('x', 1000))
     from generate_series(1, $1)`,
    [count, service],
  )
  await seal()
}

/** Starts a TCP relay to a port that can change. `cut` breaks its connections. */
async function startRelay(t: ExecutionContext, port: number) {
  const sockets = new Set<Socket>()
  const server = createServer((downstream) => {
    const upstream = connect(relay.port, '127.0.0.1')
    downstream.pipe(upstream).pipe(downstream)
    for (const [socket, other] of [
      [downstream, upstream],
      [upstream, downstream],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => {})
      socket.on('close', () => {
        sockets.delete(socket)
        other.destroy()
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const relay = {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    port,
    cut() {
      for (const socket of sockets) socket.destroy()
    },
  }
  t.teardown(() => {
    server.close()
    relay.cut()
  })
  return relay
}

type StubRequest = { cursor?: string | undefined }

/** Starts a server that sends one bookmark to each watch, and knows which are open. */
async function startStub(t: ExecutionContext) {
  const open = new Set<ServerWritableStream<StubRequest, object>>()
  const requests: StubRequest[] = []
  const server = new Server()
  server.addService(ActivityServiceService, {
    watch(stream: ServerWritableStream<StubRequest, object>) {
      open.add(stream)
      requests.push(stream.request)
      for (const event of ['cancelled', 'finish']) stream.on(event, () => open.delete(stream))
      stream.write({ cursor: '1-0000000000000000', bookmark: true })
    },
  })
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    )
  })
  t.teardown(() => server.forceShutdown())
  return { address: `127.0.0.1:${port}`, open, requests }
}
