import { fork } from 'node:child_process'
import { once } from 'node:events'
import * as http2 from 'node:http2'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { GCProfiler, type GCProfilerResult } from 'node:v8'
import { medianOf } from './rounds.ts'

/** Milliseconds, and bytes. */
type Scavenge = { ms: number; before: number; survived: number; promoted: number }
type HeapStatistics = GCProfilerResult['statistics'][number]['beforeGC']

/**
 * `node bench/tail-scavenges.ts [<streams>] [--grpc] [--without-tables]` prints how long the scavenges
 * of an HTTP/2 server take while a number of streams are open, by default 256. The server is of
 * node:http2 alone or, with `--grpc`, of grpc-js. `--without-tables` replaces the `Map` and the `Set`
 * in which node:http2 keeps the streams of a session with objects.
 */
const options = process.argv.slice(2)
const streams = Number(options.find((word) => !word.startsWith('--')) ?? 256)

/** The calls before and during the measurement. */
const warmUp = 10_000
const measured = 20_000

if (process.send) await serve()
else await load()

async function serve(): Promise<void> {
  const { server, port } = options.includes('--grpc') ? await startGrpc() : await startHttp2()
  if (options.includes('--without-tables')) server.prependListener('session', replaceTables)
  let profiler = new GCProfiler()
  profiler.start()
  process.on('message', () => {
    const { statistics } = profiler.stop()
    process.send?.(statistics.filter(({ gcType }) => gcType === 'Scavenge').map(readScavenge))
    profiler = new GCProfiler()
    profiler.start()
  })
  process.once('disconnect', () => process.exit())
  process.send?.(port)
}

function readScavenge({
  cost,
  beforeGC,
  afterGC,
}: GCProfilerResult['statistics'][number]): Scavenge {
  const used = ({ heapSpaceStatistics }: HeapStatistics, name: string) =>
    heapSpaceStatistics.find(({ spaceName }) => spaceName === name)?.spaceUsedSize ?? 0
  return {
    ms: cost / 1000,
    before: used(beforeGC, 'new_space'),
    survived: used(afterGC, 'new_space'),
    promoted: used(afterGC, 'old_space') - used(beforeGC, 'old_space'),
  }
}

async function startHttp2() {
  const server = http2.createServer()
  server.on('stream', (stream) => {
    stream.resume().once('end', () => {
      stream.respond({ ':status': 200 }, { waitForTrailers: true })
      stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }))
      stream.end(Buffer.alloc(100))
    })
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  return { server, port: (server.address() as AddressInfo).port }
}

async function startGrpc() {
  const grpc = await import('@grpc/grpc-js')
  const server = new grpc.Server()
  const same = (bytes: Buffer) => bytes
  const method = { path: '/a/b', requestStream: false, responseStream: false }
  const codecs = { requestSerialize: same, requestDeserialize: same }
  const definition = { ...method, ...codecs, responseSerialize: same, responseDeserialize: same }
  const handle: import('@grpc/grpc-js').handleUnaryCall<Buffer, Buffer> = ({ request }, respond) =>
    respond(null, request)
  server.addService({ b: definition }, { b: handle })
  const port = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(port),
    ),
  )
  const { http2Servers } = server as unknown as { http2Servers: Map<http2.Http2Server, unknown> }
  return { server: [...http2Servers.keys()][0] as http2.Http2Server, port }
}

/** The operations of a `Map` and of a `Set` that node:http2 uses, on an object. */
class Table<Value extends object> {
  readonly #entries: Record<string, Value> = Object.create(null)
  readonly #key = Symbol()
  #lastKey = 0
  size = 0

  get(key: number) {
    return this.#entries[key]
  }

  set(key: number, value: Value) {
    if (!(key in this.#entries)) this.size += 1
    this.#entries[key] = value
  }

  add(value: Value) {
    this.#lastKey += 1
    this.set(this.#lastKey, Object.assign(value, { [this.#key]: this.#lastKey }))
  }

  delete(keyOrValue: number | { [key: symbol]: number }) {
    const key = typeof keyOrValue === 'number' ? keyOrValue : keyOrValue[this.#key]
    if (key === undefined || !(key in this.#entries)) return
    this.size -= 1
    delete this.#entries[key]
  }

  values() {
    return Object.values(this.#entries)
  }

  forEach(use: (value: Value) => void) {
    this.values().forEach(use)
  }
}

function replaceTables(session: http2.ServerHttp2Session): void {
  const symbols = Object.getOwnPropertySymbols(session)
  const name = symbols.find(({ description }) => description === 'state')
  const { [name as symbol]: state } = session as unknown as Record<symbol, object>
  Object.assign(state as object, { streams: new Table(), pendingStreams: new Table() })
}

async function load(): Promise<void> {
  const child = fork(import.meta.filename, options, { execArgv: ['--max-semi-space-size=32'] })
  const [port] = await once(child, 'message')
  const session = http2.connect(`http://127.0.0.1:${port}`)
  const headers = { ':method': 'POST', ':path': '/a/b', 'content-type': 'application/grpc' }
  const body = Buffer.concat([Buffer.from([0, 0, 0, 0, 100]), Buffer.alloc(100)])
  let calls = 0
  const call = () => {
    const stream = session.request({ ...headers, te: 'trailers' })
    stream.resume().once('close', () => {
      calls += 1
      call()
    })
    stream.end(body)
  }
  const reach = async (count: number) => {
    while (calls < count) await sleep(10)
  }
  for (let index = 0; index < streams; index += 1) call()
  await reach(warmUp)
  child.send({})
  await once(child, 'message')
  await reach(warmUp + measured)
  child.send({})
  const [scavenges] = (await once(child, 'message')) as [Scavenge[]]
  const megabytes = (name: 'before' | 'survived' | 'promoted') =>
    `${(medianOf(scavenges, (scavenge) => scavenge[name]) / 1e6).toFixed(2)} MB`
  const time = `${medianOf(scavenges, ({ ms }) => ms).toFixed(2)} ms`
  process.stdout.write(
    `${scavenges.length} scavenges of ${megabytes('before')}: ${time}, ${megabytes('survived')} stay, ${megabytes('promoted')} promoted\n`,
  )
  process.exit()
}
