// Replaces one node after the other under load, as docs/kubernetes.md describes.
import { setTimeout as sleep } from 'node:timers/promises'
import { credentials } from '@grpc/grpc-js'
import test from 'ava'
import { PermissionServiceClient } from '../../gen/daikon/v1/permissions.ts'
import { findFreePort } from '../../src/core/free-port.ts'
import { connectToServer } from '../support/connect-to-server.ts'
import { cloneDatabase } from '../support/database.ts'
import { createKeyFolder, type ServerProcess, startServer } from '../support/server-process.ts'
import { createMetadata } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const database = await cloneDatabase()
test.after.always(() => database.drop())

/** A node that keeps its ports when it is replaced, as behind a name. */
type Place = { ports: Record<string, string>; server: ServerProcess; grpc: number; rest: number }

test('two nodes are replaced one after the other without a failed call over gRPC or REST', async (t) => {
  const folder = createKeyFolder(t)
  const start = (ports: Record<string, string>) =>
    startServer(t, folder, { DATABASE_URL: database.url, RATE_LIMIT_ENABLED: 'false', ...ports })
  const places: Place[] = []
  for (let index = 0; index < 2; index += 1) {
    const ports = { GRPC_PORT: `${await findFreePort()}`, HTTP_PORT: `${await findFreePort()}` }
    places.push({ ports, server: await start(ports), grpc: 0, rest: 0 })
  }
  const [first] = places as [Place, Place]
  const environment = await connectToServer(folder, first.server, database)
  const fixture = await createWorkspaceFixture(environment, environment.transports[0] as never)
  const record = await fixture.register(fixture.people.viewer)
  for (const transport of environment.transports) transport.close()
  const caller = fixture.as(fixture.people.viewer)

  const failures: string[] = []
  let isRunning = true
  /** The load is high while a node drains, and low while it starts. */
  let isDraining = false
  /** Nodes that the load balancer of REST sends requests to, and the requests that each is handling. */
  const rotation = new Set(places)
  const pending = new Map<Place, number>(places.map((place) => [place, 0]))

  // Only calls that a server refused without handling them are sent again: by grpc-js once, and by `callGrpc`.
  const client = new PermissionServiceClient(
    `ipv4:${places.map(({ ports }) => `127.0.0.1:${ports.GRPC_PORT}`).join()}`,
    credentials.createInsecure(),
    {
      'grpc.service_config': JSON.stringify({ loadBalancingConfig: [{ round_robin: {} }] }),
      'grpc.enable_retries': 0,
      'grpc.initial_reconnect_backoff_ms': 100,
      'grpc.max_reconnect_backoff_ms': 500,
    },
  )
  t.teardown(() => client.close())
  const check = { ...fixture.kind, resource_id: record.resource_id, action: 'view' }
  const share = {
    permission_id: record.id,
    grantee_type: 'user',
    grantee_id: fixture.people.editor.id,
  }

  /** Checks, or every fifth time shares if it is the loop that writes. */
  async function callGrpc(round: number, writes = false): Promise<void> {
    const metadata = createMetadata(caller)
    const deadline = { deadline: Date.now() + 60_000 }
    const isRefused = await new Promise<boolean>((resolve) => {
      const onEnd = (error: Error | null) => {
        // A client that is slow to acknowledge the announcement opens streams for longer than the node waits.
        const wasRefused = /refused by server|REFUSED_STREAM/.test(error?.message ?? '')
        if (error && !wasRefused) failures.push(`gRPC: ${error.message}`)
        const port = call.getPeer().split(':').at(-1)
        const place = places.find(({ ports }) => ports.GRPC_PORT === port)
        if (place && !error) place.grpc += 1
        resolve(wasRefused)
      }
      const permission = round % 2 ? 'edit' : 'view'
      const call =
        writes && round % 5 === 0
          ? client.share({ ...share, permission } as never, metadata, deadline, onEnd)
          : client.check({ checks: [check] } as never, metadata, deadline, (error, response) => {
              if (response && !response.results[0]?.allowed) failures.push('gRPC: denied')
              onEnd(error)
            })
    })
    if (isRefused) await callGrpc(round, writes)
  }

  async function callRest(round: number): Promise<void> {
    const available = [...rotation]
    const place = available[round % available.length] as Place
    pending.set(place, (pending.get(place) ?? 0) + 1)
    try {
      const url = `http://127.0.0.1:${place.ports.HTTP_PORT}/users/me`
      const response = await fetch(url, { headers: { authorization: `Bearer ${caller.token}` } })
      await response.arrayBuffer()
      if (response.ok) place.rest += 1
      else failures.push(`REST: ${response.status}`)
    } catch (error) {
      failures.push(`REST: ${(error as Error).cause ?? error}`)
    } finally {
      pending.set(place, (pending.get(place) ?? 1) - 1)
    }
  }

  const writeGrpc = (round: number) => callGrpc(round, true)
  const readGrpc = (round: number) => callGrpc(round)
  const calls = [writeGrpc, readGrpc, readGrpc, readGrpc, callRest, callRest]
  const loops = calls.map(async (call) => {
    for (let round = 0; isRunning; round += 1) {
      await call(round)
      if (!isDraining) await sleep(10)
    }
  })
  const until = async (condition: () => boolean) => {
    while (!condition() && failures.length === 0) await sleep(10)
  }
  for (const place of places) {
    const before = { ...place }
    await until(() => place.grpc > before.grpc + 20 && place.rest > before.rest + 5)
    // Kubernetes removes a pod from its services before it sends SIGTERM, or at the same time and daikon's preStop
    // hook waits. Clients of gRPC are connected to the pods themselves, and learn of the drain from GOAWAY.
    rotation.delete(place)
    isDraining = true
    await until(() => pending.get(place) === 0)
    place.server.child.kill('SIGTERM')
    t.deepEqual(await place.server.exited, { code: 0, signal: null })
    isDraining = false
    place.server = await start(place.ports)
    rotation.add(place)
    const after = { ...place }
    await until(() => place.grpc > after.grpc + 20 && place.rest > after.rest + 5)
  }
  isRunning = false
  await Promise.all(loops)
  t.deepEqual(failures, [])
  t.log(places.map(({ grpc, rest }) => `${grpc} calls over gRPC, ${rest} over REST`).join('; '))
})
