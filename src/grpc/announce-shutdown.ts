import { constants, type Http2Server, type ServerHttp2Session } from 'node:http2'
import { Server as NetServer } from 'node:net'

/**
 * The highest stream ID. Announced as the last one, it still accepts streams that are on their way.
 */
const maxStreamId = 2 ** 31 - 1

/** Milliseconds that a client has to acknowledge the announcement. */
const acknowledgementTimeout = 1000

/**
 * Prepares a server for a shutdown without failed calls (RFC 9113, section 6.8). A connection that
 * closes at once refuses the streams that its client opened before it learned of the shutdown.
 * Therefore the server first tells clients to open no more streams, and waits for their
 * acknowledgement.
 */
export function createShutdownAnnouncer(http2Server: Http2Server): { announce(): Promise<void> } {
  const sessions = new Set<ServerHttp2Session>()
  http2Server.on('session', (session) => {
    sessions.add(session)
    session.once('close', () => sessions.delete(session))
  })
  return {
    async announce() {
      // `Http2Server.close` would close the sessions, too.
      NetServer.prototype.close.call(http2Server)
      await Promise.all([...sessions].map(announceTo))
    },
  }
}

function announceTo(session: ServerHttp2Session): Promise<void> {
  return new Promise((resolve) => {
    const timeout = setTimeout(resolve, acknowledgementTimeout)
    const finish = () => {
      clearTimeout(timeout)
      resolve()
    }
    if (session.closed || session.destroyed) return finish()
    session.once('close', finish)
    session.goaway(constants.NGHTTP2_NO_ERROR, maxStreamId)
    session.ping(finish)
  })
}
