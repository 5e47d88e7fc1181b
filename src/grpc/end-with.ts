import type { OutgoingHttpHeaders, ServerHttp2Stream } from 'node:http2'

/** Milliseconds between a response and the end of its stream. */
const responseDelay = 100

/** Responds with an error, possibly before the whole request has arrived. The rest is not read. */
export function endWith(
  stream: ServerHttp2Stream,
  headers: OutgoingHttpHeaders,
  body?: string,
): void {
  if (stream.destroyed) return
  if (!stream.headersSent) {
    stream.respond(headers, { endStream: body === undefined })
    if (body !== undefined) stream.end(body)
  }
  stream.pause()
  // If the stream were destroyed immediately, nghttp2 would drop a response that has not been sent
  // yet.
  setTimeout(() => stream.destroy(), responseDelay)
}

/**
 * Ends a stream to which the server has responded completely, while its client may go on. NO_ERROR
 * asks the client to stop without an error (RFC 9113, section 8.1).
 */
export function stopReading(stream: ServerHttp2Stream): void {
  if (stream.readableEnded) return
  stream.pause()
  // `stream.close` would wait until what has arrived is read, and a drain for the stream.
  setTimeout(() => stream.destroy(), responseDelay)
}
