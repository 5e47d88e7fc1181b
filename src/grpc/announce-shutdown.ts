import type { Http2Server, ServerHttp2Session } from 'node:http2'
import type { Socket } from 'node:net'
import { stopAccepting } from '../core/stop-accepting.ts'

/**
 * GOAWAY without an error (RFC 9113, section 6.8). The highest stream ID as the last one still
 * accepts streams that are on their way.
 */
const goawayFrame = Buffer.from('000008070000000000' + '7fffffff' + '00000000', 'hex')

/** Milliseconds that a client has to acknowledge the announcement. */
const acknowledgementTimeout = 1000

export type ShutdownAnnouncer = {
  /** Accepts no more connections. */
  stopListening(): Promise<void>
  /** Accepts no more connections, and tells clients to open no more streams on theirs. */
  announce(): Promise<void>
}

/**
 * Prepares a server for a shutdown without failed calls (RFC 9113, section 6.8). If a connection
 * closed immediately, the streams that its client opened before it learned of the shutdown would
 * fail. Therefore the server first tells clients to open no more streams, and waits for their
 * acknowledgement.
 * See docs/decisions/operation.md#goaway-at-the-beginning-of-a-drain.
 */
export function createShutdownAnnouncer(http2Server: Http2Server): ShutdownAnnouncer {
  const sessions = new Map<ServerHttp2Session, Socket>()
  let latest: Socket
  for (const event of ['connection', 'secureConnection'])
    http2Server.prependListener(event, (socket: Socket) => {
      latest = socket
    })
  // Emitted while the connection event is.
  http2Server.on('session', (session) => {
    sessions.set(session, latest)
    session.once('close', () => sessions.delete(session))
  })
  let stopping: Promise<void> | undefined
  const stopListening = () => (stopping ??= stopAccepting(http2Server))
  return {
    stopListening,
    async announce() {
      await stopListening()
      await Promise.all(Array.from(sessions, ([session, socket]) => announceTo(session, socket)))
    },
  }
}

function announceTo(session: ServerHttp2Session, socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const timeout = setTimeout(resolve, acknowledgementTimeout)
    const finish = () => {
      clearTimeout(timeout)
      resolve()
    }
    if (session.closed || session.destroyed) return finish()
    session.once('close', finish)
    // After `session.goaway`, Node.js would read nothing more from a connection without streams, and
    // so lose a stream that is on its way. Node.js writes whole frames, so this frame cannot land inside another.
    socket.write(goawayFrame)
    session.ping(finish)
  })
}
