import type { Http2Server, ServerHttp2Session, ServerHttp2Stream } from 'node:http2'
import { constants, type IncomingHttpHeaders } from 'node:http2'

export type UnfinishedMessageOptions = {
  /** The maximum number of bytes of unfinished messages that the server holds. */
  maxBytes: number
  /** Returns the maximum size in bytes of a message of the method at this path. */
  maxMessageBytes(path: string): number
  /** Returns the headers of the response to a message that is too large. */
  tooLargeHeaders(path: string): Record<string, string | number | string[]>
}

/** A message that has arrived only in part. */
type Unfinished = {
  stream: ServerHttp2Stream
  connection: Connection
  /** The bytes that have arrived, with the overhead of their buffers. */
  bytes: number
  startedAt: number
  isPaused: boolean
}

/** The unfinished messages of a connection, in the order in which they started. */
type Connection = { bytes: number; messages: Set<Unfinished> }

const headerBytes = 5

/** The initial value of headers, shared by all streams. */
const emptyBuffer = Buffer.alloc(0)

/** Milliseconds that a message may take to arrive, and between two checks for late messages. */
const timeout = 20_000
const timeoutInterval = 1000

/** The bytes of a connection above which all large messages except its oldest one are paused. */
const maxConnectionBytes = 4 * 1024 * 1024

/** Messages up to this size are always read, so that small calls do not wait for large ones. */
const minPausedBytes = 16 * 1024

/** The bytes that a client may send after its stream is paused: the HTTP/2 flow-control window. */
const windowBytes = 65_535

/** Milliseconds between the response to a message that is too large and the end of its stream. */
const responseDelay = 100

/** The memory overhead of a buffer, in bytes. Small DATA frames cost more than their content. */
const bufferOverhead = 256

/**
 * Bounds the memory of messages that have not arrived completely. grpc-js buffers them, up to the
 * size limit of each stream, before credentials can be checked.
 *
 * - Above a limit for its connection, a stream is paused: HTTP/2 flow control then stops the
 *   client. The oldest message of a connection is always read, so each of them completes in turn.
 * - Above `maxBytes`, the largest message of the connection that holds the most is reset
 *   (ENHANCE_YOUR_CALM, which gRPC clients report as RESOURCE_EXHAUSTED).
 * - A message that takes longer than 20 s is reset (CANCEL).
 * - A message that announces too many bytes is rejected before it arrives.
 *
 * Messages that arrive in one piece, as nearly all do, cost only a comparison.
 */
export function limitUnfinishedMessages(
  server: Http2Server,
  { maxBytes, maxMessageBytes, tooLargeHeaders }: UnfinishedMessageOptions,
): void {
  const connections = new WeakMap<ServerHttp2Session, Connection>()
  const unfinished = new Set<Unfinished>()
  let totalBytes = 0

  const timer = setInterval(resetLate, timeoutInterval).unref()
  server.on('close', () => clearInterval(timer))
  server.on('stream', (stream, headers) => watch(stream as ServerHttp2Stream, headers))

  function watch(stream: ServerHttp2Stream, { ':path': path = '' }: IncomingHttpHeaders): void {
    let message: Unfinished | undefined
    /** The bytes of a split header that have arrived so far. */
    let header: Buffer = emptyBuffer
    /** The number of bytes of the current message that have not arrived yet. */
    let missing = 0

    stream.on('data', (chunk: Buffer) => {
      const isComplete =
        !message && chunk.length >= headerBytes && sizeOf(chunk) + headerBytes === chunk.length
      if (isComplete || stream.closed) return
      let offset = 0
      let hasFinished = false
      while (offset < chunk.length) {
        if (missing === 0) {
          const part = chunk.subarray(offset, offset + headerBytes - header.length)
          header = Buffer.concat([header, part])
          offset += part.length
          if (header.length < headerBytes) break
          missing = sizeOf(header)
          header = emptyBuffer
          if (missing > maxMessageBytes(path)) return reject()
        }
        const part = Math.min(missing, chunk.length - offset)
        missing -= part
        offset += part
        if (missing > 0) break
        hasFinished = true
        finish(message)
        message = undefined
      }
      if (missing === 0 && header.length === 0) return
      message ??= start(stream)
      // After a complete message, grpc-js itself pauses the stream until the handler reads on.
      add(message, chunk.length + bufferOverhead, !hasFinished)
    })
    stream.on('close', () => finish(message))

    function reject(): void {
      finish(message)
      message = undefined
      if (stream.destroyed) return
      if (!stream.headersSent) stream.respond(tooLargeHeaders(path), { endStream: true })
      stream.pause()
      // If the stream were destroyed at once, nghttp2 would drop a response that is not sent yet.
      setTimeout(() => stream.destroy(), responseDelay)
    }
  }

  function start(stream: ServerHttp2Stream): Unfinished {
    const session = stream.session as ServerHttp2Session
    const connection = connections.get(session) ?? { bytes: 0, messages: new Set() }
    connections.set(session, connection)
    const startedAt = performance.now()
    const message = { stream, connection, bytes: 0, startedAt, isPaused: false }
    connection.messages.add(message)
    unfinished.add(message)
    return message
  }

  function add(message: Unfinished, bytes: number, canPause: boolean): void {
    const { connection, stream } = message
    message.bytes += bytes
    connection.bytes += bytes
    totalBytes += bytes
    const [oldest] = connection.messages
    const isOverLimit = connection.bytes > maxConnectionBytes && message.bytes > minPausedBytes
    if (isOverLimit && canPause && message !== oldest && !message.isPaused) {
      message.isPaused = true
      totalBytes += windowBytes
      stream.pause()
    }
    while (totalBytes > maxBytes) {
      const largest = findLargest()
      if (!largest) break
      reset(largest, constants.NGHTTP2_ENHANCE_YOUR_CALM)
    }
  }

  function finish(message: Unfinished | undefined): void {
    if (!message || !unfinished.delete(message)) return
    const { connection } = message
    connection.messages.delete(message)
    connection.bytes -= message.bytes
    totalBytes -= message.bytes
    if (message.isPaused) totalBytes -= windowBytes
    resumePaused(connection)
  }

  /** Resumes the oldest message, and as many others as the limit of the connection allows. */
  function resumePaused({ bytes, messages }: Connection): void {
    let expected = bytes
    for (const message of messages) {
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
    for (const message of unfinished) {
      if (message.startedAt > latest) return
      reset(message, constants.NGHTTP2_CANCEL)
    }
  }

  function findLargest(): Unfinished | undefined {
    let largest: Unfinished | undefined
    for (const message of unfinished) {
      const difference = message.connection.bytes - (largest?.connection.bytes ?? -1)
      if (difference > 0 || (difference === 0 && message.bytes > (largest?.bytes ?? 0)))
        largest = message
    }
    return largest
  }
}

/** Returns the size of a message from its header: a flag and four bytes (gRPC over HTTP/2). */
function sizeOf(header: Buffer): number {
  return header.readUInt32BE(1)
}
