import type { Http2Server, ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import { constants, type IncomingHttpHeaders } from 'node:http2'
import { endWith, stopReading } from './end-with.ts'

export type UnfinishedMessageOptions = {
  /** The maximum size of all unfinished messages of the server, in bytes. */
  maxBytes: number
  /** Whether the method at this path is client-streaming. */
  isStreaming(path: string): boolean
  /** Returns the maximum size in bytes of a message of the method at this path. */
  maxMessageBytes(path: string): number
  /** Returns the headers of the response to a message that is too large. */
  tooLargeHeaders(path: string): Record<string, string | number | string[]>
}

/**
 * A message that has not arrived completely. The message of a unary call includes the end of its
 * stream, because its handler runs only then.
 */
type Unfinished = {
  stream: ServerHttp2Stream
  connection: Connection
  /** The bytes that have arrived, with the overhead of their buffers and of the stream. */
  bytes: number
  startedAt: number
  isPaused: boolean
}

/** The unfinished messages of a connection, and the large ones among them, oldest first. */
type Connection = { bytes: number; messages: Set<Unfinished>; large: Set<Unfinished> }

const headerBytes = 5

/** The initial value of headers, shared by all streams. */
const emptyBuffer = Buffer.alloc(0)

/** Milliseconds that a message may take to arrive, and between checks for late messages. */
const timeout = 20_000
const timeoutInterval = 1000

/** The bytes of a connection above which all large messages except its oldest one are paused. */
const maxConnectionBytes = 4 * 1024 * 1024

/** Messages up to this size are always read, so that small calls do not wait for large ones. */
const minPausedBytes = 16 * 1024

/** The bytes that a client may send after its stream is paused: the HTTP/2 flow-control window. */
const windowBytes = 65_535

/** The memory overhead of a buffer, in bytes. Small DATA frames cost more than their content. */
const bufferOverhead = 256

/** The memory of a stream whose message has not arrived, in bytes. HPACK makes it cheap to open. */
const streamBytes = 8 * 1024

/**
 * Bounds the memory of messages that have not arrived completely. grpc-js buffers them, up to the
 * size limit of each stream, before credentials can be checked.
 *
 *     first byte, or     ┌───────────┐  complete
 *     start of stream ──►│ arriving  ├─────────────────────────► passed to grpc-js
 *                        └─┬──▲────┬─┘
 *       the connection is  │  │    │ header declares too much
 *       above its limit    ▼  │    └─────────────────────────► rejected with `tooLargeHeaders`
 *                        ┌────┴──────┐
 *                        │  paused   │  an older message has finished: back to arriving
 *                        └───────────┘
 *     arriving or paused:
 *       20 s after its start ────────────────────────────────► reset with CANCEL
 *       all messages exceed `maxBytes`, and it is the largest
 *       of the connection with the most bytes ───────────────► reset with ENHANCE_YOUR_CALM
 *
 * A paused stream is not read, so HTTP/2 flow control stops the client. The oldest large message of a
 * connection is never paused, so that each of them completes in turn. gRPC clients report
 * ENHANCE_YOUR_CALM as RESOURCE_EXHAUSTED.
 */
export function limitUnfinishedMessages(
  server: Http2Server,
  { maxBytes, isStreaming, maxMessageBytes, tooLargeHeaders }: UnfinishedMessageOptions,
): void {
  const connections = new Map<ServerHttp2Session, Connection>()
  let totalBytes = 0

  const timer = setInterval(resetLate, timeoutInterval).unref()
  server.on('close', () => clearInterval(timer))
  server.on('stream', (stream, headers) => watch(stream as ServerHttp2Stream, headers))

  function watch(stream: ServerHttp2Stream, { ':path': path = '' }: IncomingHttpHeaders): void {
    const session = stream.session as ServerHttp2Session | undefined
    if (!session || session.destroyed) return
    const connection = connections.get(session) ?? createConnection(session)
    const endsWithMessage = isStreaming(path)
    let message: Unfinished | undefined = start(stream, connection, streamBytes)
    /** The bytes of a split header that have arrived so far. */
    let header: Buffer = emptyBuffer
    /** The number of bytes of the current message that have not arrived yet. */
    let missing = 0

    stream.on('data', (chunk: Buffer) => {
      if (stream.closed) return
      let offset = 0
      let hasFinished = false
      while (offset < chunk.length) {
        if (missing === 0) {
          if (header.length === 0 && chunk.length - offset >= headerBytes) {
            missing = sizeOf(chunk, offset)
            offset += headerBytes
          } else {
            const part = chunk.subarray(offset, offset + headerBytes - header.length)
            header = Buffer.concat([header, part])
            offset += part.length
            if (header.length < headerBytes) break
            missing = sizeOf(header, 0)
            header = emptyBuffer
          }
          if (missing > maxMessageBytes(path)) return reject()
        }
        const part = Math.min(missing, chunk.length - offset)
        missing -= part
        offset += part
        if (missing > 0) break
        hasFinished = true
        if (endsWithMessage) finishMessage()
      }
      const isComplete = missing === 0 && header.length === 0
      if (isComplete && endsWithMessage) return
      message ??= start(stream, connection, 0)
      // After a complete message, grpc-js itself pauses the stream until the handler reads on.
      add(message, chunk.length + bufferOverhead, !hasFinished)
    })
    stream.on('end', finishMessage)
    stream.on('close', finishMessage)
    if (endsWithMessage) stream.on('finish', () => stopReading(stream))

    function finishMessage(): void {
      if (message) finish(message)
      message = undefined
    }

    function reject(): void {
      finishMessage()
      endWith(stream, tooLargeHeaders(path))
    }
  }

  function start(stream: ServerHttp2Stream, connection: Connection, bytes: number): Unfinished {
    const startedAt = performance.now()
    const message = { stream, connection, bytes: 0, startedAt, isPaused: false }
    connection.messages.add(message)
    add(message, bytes, false)
    return message
  }

  function createConnection(session: ServerHttp2Session): Connection {
    const connection = { bytes: 0, messages: new Set<Unfinished>(), large: new Set<Unfinished>() }
    connections.set(session, connection)
    session.once('close', () => {
      for (const message of connection.messages) finish(message)
      connections.delete(session)
    })
    return connection
  }

  function add(message: Unfinished, bytes: number, canPause: boolean): void {
    const { connection, stream } = message
    message.bytes += bytes
    connection.bytes += bytes
    totalBytes += bytes
    if (message.bytes > minPausedBytes) {
      connection.large.add(message)
      const [oldest] = connection.large
      const isOverLimit = connection.bytes > maxConnectionBytes
      if (isOverLimit && canPause && message !== oldest && !message.isPaused) {
        message.isPaused = true
        totalBytes += windowBytes
        stream.pause()
      }
    }
    while (totalBytes > maxBytes) {
      const largest = findLargest()
      if (!largest) break
      reset(largest, constants.NGHTTP2_ENHANCE_YOUR_CALM)
    }
  }

  function finish(message: Unfinished): void {
    const { connection } = message
    if (!connection.messages.delete(message)) return
    connection.bytes -= message.bytes
    totalBytes -= message.bytes
    if (message.isPaused) totalBytes -= windowBytes
    connection.large.delete(message)
    if (connection.large.size > 0) resumePaused(connection)
  }

  /** Resumes the oldest message, and as many others as the limit of the connection allows. */
  function resumePaused({ bytes, large }: Connection): void {
    let expected = bytes
    for (const message of large) {
      if (message.isPaused) {
        message.isPaused = false
        totalBytes -= windowBytes
        message.stream.resume()
      }
      expected += windowBytes
      if (expected > maxConnectionBytes) return
    }
  }

  function reset(message: Unfinished, code: number): void {
    finish(message)
    message.stream.close(code)
  }

  function resetLate(): void {
    const latest = performance.now() - timeout
    for (const { messages } of connections.values()) {
      for (const message of messages) {
        if (message.startedAt > latest) break
        reset(message, constants.NGHTTP2_CANCEL)
      }
    }
  }

  /** Returns the largest message of the connection with the most bytes. */
  function findLargest(): Unfinished | undefined {
    let fullest: Connection | undefined
    for (const connection of connections.values())
      if (connection.bytes > (fullest?.bytes ?? 0)) fullest = connection
    let largest: Unfinished | undefined
    for (const message of fullest?.messages ?? [])
      if (message.bytes > (largest?.bytes ?? 0)) largest = message
    return largest
  }
}

/** Returns the size of a message from its header: a flag and four bytes (gRPC over HTTP/2). */
function sizeOf(header: Buffer, offset: number): number {
  return header.readUInt32BE(offset + 1)
}
