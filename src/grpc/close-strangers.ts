import {
  constants,
  type Http2Server,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2'
import type { Socket } from 'node:net'
import { status } from '@grpc/grpc-js'

/** Milliseconds from the first refused call of a connection until it is closed, and between checks. */
const timeout = 20_000
const timeoutInterval = 1000

/** Milliseconds that the client has to close the connection before it is destroyed. */
const closingTimeout = 1000

/** A connection of which no call has been served so far, with its calls in progress. */
type Stranger = {
  socket: Socket
  streams: Set<ServerHttp2Stream>
  refusedAt: number | undefined
}

/**
 * Closes connections of which only refused calls are known, 20 seconds after the first one, and
 * those whose session has ended, which a client that goes on sending would keep open.
 */
export function closeStrangers(server: Http2Server): void {
  const strangers = new Map<ServerHttp2Session, Stranger>()
  const timer = setInterval(closeLate, timeoutInterval).unref()
  server.on('close', () => clearInterval(timer))
  let latest: Socket
  for (const event of ['connection', 'secureConnection'])
    server.prependListener(event, (socket: Socket) => {
      latest = socket
    })
  // Emitted while the connection event is.
  server.on('session', (session) => {
    const socket = latest
    strangers.set(session, { socket, streams: new Set(), refusedAt: undefined })
    session.once('close', () => {
      strangers.delete(session)
      // Node.js reads on until the client closes the connection, too.
      setTimeout(() => socket.destroy(), timeout).unref()
    })
  })
  // Node.js declares the stream as one of a client or a server.
  server.on('stream', (stream) => watch(stream as ServerHttp2Stream))

  function watch(stream: ServerHttp2Stream): void {
    const session = stream.session as ServerHttp2Session | undefined
    const stranger = session && strangers.get(session)
    if (!stranger) return
    stranger.streams.add(stream)
    stream.once('close', () => {
      stranger.streams.delete(stream)
      if (isServed(stream)) strangers.delete(session)
      else if (isRefused(stream)) stranger.refusedAt ??= performance.now()
    })
  }

  function closeLate(): void {
    const latest = performance.now() - timeout
    for (const [session, { socket, streams, refusedAt }] of strangers) {
      if (refusedAt === undefined || refusedAt > latest) continue
      strangers.delete(session)
      if ([...streams].some(isServed)) continue
      session.goaway(constants.NGHTTP2_NO_ERROR)
      setTimeout(() => socket.destroy(), closingTimeout).unref()
    }
  }
}

/** Returns whether the server has begun to respond, and not with a refusal. */
function isServed(stream: ServerHttp2Stream): boolean {
  return stream.headersSent && !isRefused(stream)
}

/** Returns whether the call has invalid credentials, or is none of the server. */
function isRefused({ sentHeaders, sentTrailers }: ServerHttp2Stream): boolean {
  const code = Number(sentTrailers?.['grpc-status'] ?? sentHeaders?.['grpc-status'])
  const isForeign = sentHeaders?.[':status'] === constants.HTTP_STATUS_UNSUPPORTED_MEDIA_TYPE
  return code === status.UNAUTHENTICATED || code === status.UNIMPLEMENTED || isForeign
}
