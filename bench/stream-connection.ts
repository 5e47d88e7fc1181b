import type { OpenConnection } from './connection.ts'
import { openHttp2 } from './http2-socket.ts'
import { isExpected } from './prepared-requests.ts'

const empty = Buffer.alloc(0)

/**
 * Sends messages on one bidirectional stream per connection. Responses arrive in any order. The
 * first request opens the stream. The first field of all other requests, and of their responses, is
 * the correlation ID.
 */
export const openStream: OpenConnection = async ({ port, inFlight, next, onResponse }) => {
  const waiting = new Map<string, { started: number; expected: Buffer }>()
  let rest: Buffer = empty
  let stopped = false
  let stream = 0

  function send() {
    const request = next()
    if (!request) return
    const { body, expected } = request
    const id = correlationId(body, 5)
    if (waiting.has(id)) throw new Error('Too few prepared messages for the number in flight')
    waiting.set(id, { started: performance.now(), expected })
    socket.send(stream, body, false)
  }

  function fill() {
    while (!stopped && waiting.size < inFlight) send()
  }

  const socket = await openHttp2(port, {
    data(_stream, payload) {
      rest = rest.length === 0 ? payload : Buffer.concat([rest, payload])
      let offset = 0
      while (rest.length - offset >= 5) {
        const length = rest.readUInt32BE(offset + 1)
        if (rest.length - offset < 5 + length) break
        const id = correlationId(rest, offset + 5)
        const message = rest.subarray(offset + 5, offset + 5 + length)
        const pending = waiting.get(id)
        waiting.delete(id)
        onResponse(
          performance.now() - (pending?.started ?? 0),
          pending !== undefined && isExpected(message, pending.expected),
        )
        offset += 5 + length
      }
      rest = rest.subarray(offset)
    },
    end() {
      if (!stopped) throw new Error('The server ended the stream')
    },
    chunkRead: fill,
  })
  const opening = next()
  if (!opening) throw new Error('The file has no opening message')
  stream = socket.open(opening.head)
  fill()
  socket.flush()
  return {
    push(count) {
      for (let left = count; left > 0; left -= 1) send()
      socket.flush()
    },
    stop() {
      stopped = true
      socket.close()
    },
  }
}

function correlationId(bytes: Buffer, offset: number): string {
  return bytes.toString('latin1', offset + 2, offset + 2 + (bytes[offset + 1] as number))
}
