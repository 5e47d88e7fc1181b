import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientReadableStream } from '@grpc/grpc-js'
import {
  ActivityServiceService,
  WatchActivityRequest,
  WatchActivityResponse,
} from '../gen/daikon/v1/activity.ts'
import {
  PermissionServiceService,
  RegisterBatchRequest,
  RegisterResourceRequest,
} from '../gen/daikon/v1/permissions.ts'
import { idOf, kind } from './data-set.ts'
import {
  type FollowersJob,
  type FollowersResult,
  followedType,
  type Latency,
  patience,
} from './followers-job.ts'
import { type BenchClient, createBenchClient } from './grpc-client.ts'
import { latenciesOf } from './quantiles.ts'

/** The maximum number of watches on one connection. */
const watchesPerConnection = 100

/** Events are larger, bookmarks are smaller. */
const minEventBytes = 150

/** Milliseconds after which the events of an earlier measurement are older than a new watch. */
const sealingTime = 2000

const { register, registerBatch } = PermissionServiceService

/** Receipts of the events of a measurement: of one watch or all webhooks, by resource. */
let receipts: { watch: Map<string, number>; webhooks: [string, number][]; messages: number }

/** The resources of a measurement. Webhooks may still receive events of an earlier one. */
const registered = new Set<string>()

function reset() {
  registered.clear()
  receipts = { watch: new Map(), webhooks: [], messages: 0 }
}

/** Each webhook has its own server. The first one does not respond. */
const servers: Server[] = []

async function startServer(): Promise<void> {
  const isHanging = servers.length === 0
  const server = createServer((request, response) => {
    if (!isHanging) void receive(request, response)
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
}

async function receive(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { data } = (await json(request)) as { data: { detail?: { resource_id?: string } } }
  const id = data.detail?.resource_id ?? ''
  if (registered.has(id)) receipts.webhooks.push([id, performance.now()])
  response.writeHead(204).end()
}
reset()

/** A message without a port asks for the ports of webhooks. A job is opened before it is run. */
process.on('message', async (message: FollowersJob | { port?: undefined; servers: number }) => {
  if (message.port === undefined) {
    while (servers.length < message.servers) await startServer()
    process.send?.({ ports: servers.map((server) => (server.address() as AddressInfo).port) })
  } else if (message.isOpen) {
    process.send?.(await follow(message))
    close()
  } else process.send?.(await open(message))
})
process.once('disconnect', () => process.exit())

/** The first client makes changes, the others have watches. */
let clients: BenchClient[] = []
let streams: ClientReadableStream<Buffer>[] = []

async function open({ port, watches }: FollowersJob): Promise<object> {
  const connections = Math.ceil(watches / watchesPerConnection)
  clients = Array.from({ length: connections + 1 }, () => createBenchClient(port))
  await sleep(sealingTime)
  await openWatches(clients.slice(1), watches)
  return {}
}

async function follow(job: FollowersJob): Promise<FollowersResult> {
  const { watches, webhooks, pace, seconds, burst } = job
  const [writer] = clients as [BenchClient]
  reset()
  const acknowledged = new Map<string, number>()
  const startedAt = performance.now()
  while (performance.now() < startedAt + seconds * 1000) {
    const next = sleep(1000 / pace)
    const resource = createResource()
    await writer.call(register.path, undefined, RegisterResourceRequest.encode(resource).finish())
    acknowledged.set(resource.resource_id, performance.now())
    await next
  }
  const count = acknowledged.size
  const hasAll = (events: number) =>
    (watches === 0 || receipts.messages >= events * watches) &&
    receipts.webhooks.length >= events * webhooks
  await waitFor(() => hasAll(count))
  const latencies = {
    watch: latencyOf([...receipts.watch], acknowledged),
    webhooks: latencyOf(receipts.webhooks, acknowledged),
  }
  const rates = burst > 0 ? await measureBurst(writer, { ...job, before: count }) : undefined
  return {
    ...(rates && {
      watch: { ...latencies.watch, rate: rates.watch },
      webhooks: { ...latencies.webhooks, rate: rates.webhooks },
    }),
  }
}

function close(): void {
  for (const stream of streams) stream.cancel()
  for (const client of clients) client.close()
}

/** Opens watches and waits until each has received a message. */
async function openWatches(clients: BenchClient[], count: number): Promise<void> {
  const request = WatchActivityRequest.encode({ actions: ['permission.registered'] }).finish()
  const { path } = ActivityServiceService.watch
  streams = Array.from({ length: count }, (_, index) =>
    (clients[index % clients.length] as BenchClient).readStream(path, '', request),
  )
  const opened = streams.map(async (stream, index) => {
    // The watch is cancelled at the end.
    stream.on('error', () => {})
    stream.on('data', (bytes: Buffer) => {
      if (bytes.length < minEventBytes) return
      receipts.messages += 1
      // Only one watch decodes, so that the followers need little CPU.
      if (index > 0) return
      const id = WatchActivityResponse.decode(bytes).event?.detail?.resource_id
      if (id) receipts.watch.set(id, performance.now())
    })
    await once(stream, 'data')
  })
  await Promise.all(opened)
}

/** Registers resources in one call. Returns the messages and requests that arrived a second. */
async function measureBurst(
  writer: BenchClient,
  { watches, webhooks, burst, before }: FollowersJob & { before: number },
) {
  const resources = Array.from({ length: burst }, createResource)
  const request = RegisterBatchRequest.encode({ resources }).finish()
  const startedAt = performance.now()
  await writer.call(registerBatch.path, undefined, request)
  const rateOf = async (expected: number, read: () => number) => {
    await waitFor(() => read() >= (before + burst) * expected)
    return (burst * expected * 1000) / (performance.now() - startedAt)
  }
  const [watch, hooks] = await Promise.all([
    rateOf(watches, () => receipts.messages),
    rateOf(webhooks, () => receipts.webhooks.length),
  ])
  return { watch, webhooks: hooks }
}

function createResource() {
  const resource_id = randomUUID()
  registered.add(resource_id)
  return {
    service_name: kind.service_name,
    resource_type: followedType,
    resource_id,
    workspace_id: idOf('w', 0),
    owner_id: idOf('u', 0),
  }
}

function latencyOf(received: [string, number][], acknowledged: Map<string, number>): Latency {
  const times = received.flatMap(([id, at]) => {
    const sent = acknowledged.get(id)
    return sent === undefined ? [] : [at - sent]
  })
  return latenciesOf(times)
}

async function waitFor(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + patience * 1000
  while (!condition()) {
    if (performance.now() > deadline)
      throw new Error(`Not all events arrived: ${receipts.messages}, ${receipts.webhooks.length}`)
    await sleep(5)
  }
}
