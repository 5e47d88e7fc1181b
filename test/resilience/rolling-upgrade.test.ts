// Replaces nodes one by one under load, as docs/kubernetes.md describes.
import { setTimeout as sleep } from 'node:timers/promises'
import { credentials, type ServiceError } from '@grpc/grpc-js'
import test from 'ava'
import { PermissionServiceClient } from '../../gen/daikon/v1/permissions.ts'
import { findFreePort } from '../../src/core/free-port.ts'
import { connectToServer } from '../support/connect-to-server.ts'
import { cloneDatabase } from '../support/database.ts'
import { createKeyFolder, type ServerProcess, startServer } from '../support/server-process.ts'
import { readStatusDetails } from '../support/status-details.ts'
import { createMetadata } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const database = await cloneDatabase()
test.after.always(() => database.drop())

/** A node that keeps its ports when it is replaced, like one behind a DNS name. */
type NodeSlot = { ports: Record<string, string>; server: ServerProcess; grpc: number; rest: number }

/** Whether a call failed because, on a busy machine, the database responded too late. */
const isLate = (reason: string) => ['STORAGE_UNAVAILABLE', 'LOCK_TIMEOUT'].includes(reason)

test('two nodes can be replaced one by one without a failed call over gRPC or REST', async (t) => {
  const folder = createKeyFolder(t)
  const start = (ports: Record<string, string>) =>
    startServer(t, folder, { DATABASE_URL: database.url, RATE_LIMIT_ENABLED: 'false', ...ports })
  const slots: NodeSlot[] = []
  for (let index = 0; index < 2; index += 1) {
    const ports = { GRPC_PORT: `${await findFreePort()}`, HTTP_PORT: `${await findFreePort()}` }
    slots.push({ ports, server: await start(ports), grpc: 0, rest: 0 })
  }
  const [first] = slots as [NodeSlot, NodeSlot]
  const environment = await connectToServer(folder, first.server, database)
  const fixture = await createWorkspaceFixture(environment, environment.transports[0] as never)
  const record = await fixture.register(fixture.people.viewer)
  for (const transport of environment.transports) transport.close()
  const caller = fixture.as(fixture.people.viewer)

  const failures: string[] = []
  let isRunning = true
  // The load is high while a node drains, and low while it starts.
  let isDraining = false
  /**
   * The nodes to which the load balancer sends REST requests, and the number of pending requests of
   * each.
   */
  const rotation = new Set(slots)
  const pending = new Map<NodeSlot, number>(slots.map((slot) => [slot, 0]))

  // Retries only calls that a server refused without handling them: grpc-js retries once, and then
  // `callGrpc` does.
  const client = new PermissionServiceClient(
    `ipv4:${slots.map(({ ports }) => `127.0.0.1:${ports.GRPC_PORT}`).join()}`,
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

  /** Sends a check or, if `writes` is set, a share in every fifth round. */
  async function callGrpc(round: number, writes = false): Promise<void> {
    const metadata = createMetadata(caller)
    const deadline = { deadline: Date.now() + 60_000 }
    const isRefused = await new Promise<boolean>((resolve) => {
      const onEnd = (error: ServiceError | null) => {
        // A client that processes GOAWAY slowly can still open streams after the node has stopped
        // waiting.
        const wasRefused = /refused by server|REFUSED_STREAM/.test(error?.message ?? '')
        if (error && !wasRefused && !isLate(readStatusDetails(error.metadata).reason))
          failures.push(`gRPC: ${error.message}`)
        const port = call.getPeer().split(':').at(-1)
        const slot = slots.find(({ ports }) => ports.GRPC_PORT === port)
        if (slot && !error) slot.grpc += 1
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
    const slot = available[round % available.length] as NodeSlot
    pending.set(slot, (pending.get(slot) ?? 0) + 1)
    try {
      const url = `http://127.0.0.1:${slot.ports.HTTP_PORT}/users/me`
      const response = await fetch(url, { headers: { authorization: `Bearer ${caller.token}` } })
      const { reason } = (await response.json()) as { reason: string }
      if (response.ok) slot.rest += 1
      else if (!isLate(reason)) failures.push(`REST: ${response.status}`)
    } catch (error) {
      failures.push(`REST: ${(error as Error).cause ?? error}`)
    } finally {
      pending.set(slot, (pending.get(slot) ?? 1) - 1)
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
  for (const slot of slots) {
    const before = { ...slot }
    await until(() => slot.grpc > before.grpc + 20 && slot.rest > before.rest + 5)
    // Kubernetes removes a pod from its services before SIGTERM, or at the same time, in which case
    // daikon's preStop hook waits. gRPC clients connect to pods directly, and GOAWAY informs them
    // of the drain.
    rotation.delete(slot)
    isDraining = true
    await until(() => pending.get(slot) === 0)
    slot.server.child.kill('SIGTERM')
    t.deepEqual(await slot.server.exited, { code: 0, signal: null })
    isDraining = false
    slot.server = await start(slot.ports)
    rotation.add(slot)
    const after = { ...slot }
    await until(() => slot.grpc > after.grpc + 20 && slot.rest > after.rest + 5)
  }
  isRunning = false
  await Promise.all(loops)
  t.deepEqual(failures, [])
  t.log(slots.map(({ grpc, rest }) => `${grpc} calls over gRPC, ${rest} over REST`).join('; '))
})
